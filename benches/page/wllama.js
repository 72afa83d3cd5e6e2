/**
 * wllama (llama.cpp in WebAssembly) on the CPU with one thread. Its rates are the ones it reports itself
 * (`timings` of llama.cpp's server), checked against the wall clock by the caller.
 */
export function wllamaContender({ model: url }) {
  let wllama;
  return {
    async load() {
      const { Wllama } = await import('/wllama/index.js');
      wllama = new Wllama({ default: '/wllama/wasm/wllama.wasm' }, { suppressNativeLog: true });
      const start = performance.now();
      const model = await (await fetch(url)).blob();
      await wllama.loadModel([model], { n_ctx: 2048, n_batch: 512, n_threads: 1, n_gpu_layers: 0, warmup: false });
      return {
        loadMs: performance.now() - start,
        threads: wllama.getNumThreads(),
        multithread: wllama.isMultithread(),
        llamaCpp: Wllama.getLibllamaVersion(),
      };
    },
    async run({ url: promptUrl, tokens: promptTokens, isWarmUp }, newTokens) {
      const prompt = await (await fetch(promptUrl)).text();
      const start = performance.now();
      const answer = await wllama.createCompletion({
        prompt,
        max_tokens: newTokens,
        temperature: 0,
        ignore_eos: true,
        cache_prompt: false,
      });
      const wallMs = performance.now() - start;
      const t = answer.timings;
      if (!isWarmUp && (t.prompt_n !== promptTokens || t.predicted_n !== newTokens)) {
        throw new Error(`wllama measured ${t.prompt_n} + ${t.predicted_n} tokens, wanted ${promptTokens} + ${newTokens}`);
      }
      return { promptTokens: t.prompt_n, prefillMs: t.prompt_ms, newTokens: t.predicted_n, decodeMs: t.predicted_ms, wallMs };
    },
  };
}
