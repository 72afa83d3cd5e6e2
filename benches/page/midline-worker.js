/**
 * The bench's own worker around one wasm build. `load` takes a model as URL or File, `bench` runs `Engine.bench`, and
 * `steps` a completion whose steps are timed.
 */
let engine;
let memory;

/** A file is read as the engine asks for it, a download lies in one buffer. */
async function open(model) {
  if (model instanceof Blob) {
    const reader = new FileReaderSync();
    const bytes = (offset, length) => new Uint8Array(reader.readAsArrayBuffer(model.slice(offset, offset + length)));
    return { size: model.size, read: (offset, into) => into.set(bytes(offset, into.length)) };
  }
  const bytes = new Uint8Array(await (await fetch(model)).arrayBuffer());
  return { size: bytes.length, read: (offset, into) => into.set(bytes.subarray(offset, offset + into.length)) };
}

/** `threads` is a number to use, `maxThreads` one up to which to measure; without both there is one thread. */
async function load({ variant, model, contextTokens, threads, maxThreads }) {
  const glue = await import(`/midline-wasm/${variant}/midline.js`);
  const source = await open(model);
  const start = performance.now();
  const module = await WebAssembly.compileStreaming(fetch(`/midline-wasm/${variant}/midline_bg.wasm`));
  ({ memory } = await glue.default({ module_or_path: module }));
  const wanted = threads ?? maxThreads ?? 1;
  for (let i = 1; i < wanted; i++) {
    new Worker(new URL('./midline-helper.js', import.meta.url), { type: 'module' }).postMessage({ variant, module, memory });
  }
  while (wanted > 1 && glue.threadsReady() < wanted) await new Promise((resolve) => setTimeout(resolve, 4));
  engine = glue.Engine.load(source, { contextTokens, threads, maxThreads });
  return {
    loadMs: performance.now() - start,
    variant: glue.variant(),
    isolated: crossOriginIsolated,
    info: engine.info(),
    memoryBytes: memory.buffer.byteLength,
  };
}

function bench([promptTokens, newTokens]) {
  const start = performance.now();
  const { prefillMs, decodeMs } = engine.bench(promptTokens, newTokens);
  return { promptTokens, prefillMs, newTokens, decodeMs, wallMs: performance.now() - start };
}

async function steps(request) {
  const stepsMs = [];
  let start = performance.now();
  const { stats } = await engine.complete(request, async () => {
    stepsMs.push(performance.now() - start);
    start = performance.now();
    return true;
  });
  stepsMs.push(performance.now() - start);
  return { stepsMs, stats, memoryBytes: memory.buffer.byteLength };
}

onmessage = async ({ data }) => {
  try {
    postMessage({ result: await (data.load ? load(data.load) : data.bench ? bench(data.bench) : steps(data.steps)) });
  } catch (error) {
    postMessage({ error: error.code ? `${error.code}: ${error.message}` : String(error) });
  }
};
