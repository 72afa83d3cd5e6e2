/** The bench's own worker: the wasm build of one variant, the model in one buffer, `Engine.bench` on demand. */
let engine;

async function load(variant) {
  const module = await import(`/midline-wasm/${variant}/midline.js`);
  await module.default({ module_or_path: fetch(`/midline-wasm/${variant}/midline_bg.wasm`) });
  const start = performance.now();
  const bytes = new Uint8Array(await (await fetch('/model.gguf')).arrayBuffer());
  const source = {
    size: bytes.length,
    read: (offset, into) => into.set(bytes.subarray(offset, offset + into.length)),
  };
  engine = module.Engine.load(source, { contextTokens: 1024 });
  return { loadMs: performance.now() - start, variant: module.variant(), info: engine.info() };
}

function run(promptTokens, newTokens) {
  const start = performance.now();
  const { prefillMs, decodeMs } = engine.bench(promptTokens, newTokens);
  return { promptTokens, prefillMs, newTokens, decodeMs, wallMs: performance.now() - start };
}

onmessage = async ({ data }) => {
  try {
    postMessage({ result: data.load ? await load(data.load) : run(data.promptTokens, data.newTokens) });
  } catch (error) {
    postMessage({ error: error.code ? `${error.code}: ${error.message}` : String(error) });
  }
};
