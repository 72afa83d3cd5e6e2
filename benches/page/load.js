/** Time to a model that is ready, through the public API: from a file on disk and from a server on this machine. */
export async function ready(source) {
  const { createCompleter } = await import('/midline/index.js');
  const model = source === 'file' ? document.querySelector('input').files[0] : source;
  const start = performance.now();
  const completer = await createCompleter({ model });
  const readyMs = performance.now() - start;
  const first = performance.now();
  await completer.complete('def add(a, b):\n    return ', '', { format: 'prefix', beamWidth: 4 });
  const firstAnswerMs = performance.now() - first;
  const { weightsBytes, kvBytes } = completer.info;
  completer.dispose();
  return { readyMs, firstAnswerMs, weightsBytes, kvBytes };
}
