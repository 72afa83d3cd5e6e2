/** The contender outside the browser: llama.cpp in a child process, one thread. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export function nativeContender(script, model) {
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
      child = spawn(process.execPath, [script, model], { stdio: ['pipe', 'pipe', 'ignore'] });
      await once(child, 'spawn');
      lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      return next();
    },
    run(prompt, newTokens) {
      child.stdin.write(`${JSON.stringify([prompt.file, newTokens])}\n`);
      return next();
    },
    close: () => child?.kill(),
  };
}
