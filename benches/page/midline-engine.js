/** Midline's engine in a worker of the bench's own, through `Engine.bench`: no newline stop, no prefix reuse. */
export function engineContender({ variant, model, contextTokens = 2048, threads, maxThreads }) {
  let worker;
  const call = (message) =>
    new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => (data.error ? reject(new Error(data.error)) : resolve(data.result));
      worker.onerror = (event) => reject(new Error(event.message || 'the bench worker died'));
      worker.postMessage(message);
    });
  return {
    load() {
      worker = new Worker(new URL('./midline-worker.js', import.meta.url), { type: 'module' });
      return call({ load: { variant, model, contextTokens, threads, maxThreads } });
    },
    run: ({ tokens }, newTokens) => call({ bench: [tokens, newTokens] }),
    /** The steps of one completion, in milliseconds. */
    steps: (request) => call({ steps: request }),
    free: () => worker.terminate(),
  };
}
