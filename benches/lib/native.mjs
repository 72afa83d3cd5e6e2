/** The contender outside the browser: llama.cpp in a child process, one thread. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export function nativeContender(script, model, prompt, newTokens) {
  let child;
  let lines;
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error('the native process ended early');
    return JSON.parse(value);
  };
  return {
    name: 'native',
    where: 'llama.cpp (node-llama-cpp), not in a browser',
    async load() {
      child = spawn(process.execPath, [script, model, prompt], { stdio: ['pipe', 'pipe', 'ignore'] });
      await once(child, 'spawn');
      lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      return next();
    },
    run() {
      child.stdin.write(`${newTokens}\n`);
      return next();
    },
    close: () => child?.kill(),
  };
}
