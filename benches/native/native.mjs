/** llama.cpp outside the browser: loads the model once; then each line on stdin, `[prompt file, new tokens]`, is answered by one. */
import { createInterface } from 'node:readline';
import { readFileSync } from 'node:fs';
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';

const [modelPath] = process.argv.slice(2);
const llama = await getLlama({ gpu: false, build: 'never', maxThreads: 1, logLevel: LlamaLogLevel.error });
const model = await llama.loadModel({ modelPath, gpuLayers: 0 });
const context = await model.createContext({ contextSize: 2048, batchSize: 512, threads: 1, flashAttention: false });
const sequence = context.getSequence();
console.log(JSON.stringify({ ready: true }));

for await (const line of createInterface({ input: process.stdin })) {
  const [promptPath, newTokens] = JSON.parse(line);
  const prompt = model.tokenize(readFileSync(promptPath, 'utf8'));
  await sequence.clearHistory();
  let start = performance.now();
  await sequence.evaluateWithoutGeneratingNewTokens(prompt.slice(0, -1));
  const prefillMs = performance.now() - start;
  let last = prompt.at(-1);
  start = performance.now();
  for (let i = 0; i < newTokens; i++) {
    // One token in, one token out: what the next step of a greedy decoder costs.
    for await (const token of sequence.evaluate([last], { temperature: 0 })) {
      last = token;
      break;
    }
  }
  const decodeMs = performance.now() - start;
  console.log(JSON.stringify({ promptTokens: prompt.length - 1, prefillMs, newTokens, decodeMs }));
}
process.exit(0);
