/** esbuild copies the engine by the loader `file`, and makes the worker as a second entry. */
import { createCompleter } from 'midline';
import relaxed from 'midline/wasm/relaxed.wasm';
import simd128 from 'midline/wasm/simd128.wasm';

const beside = (file) => new URL(file, import.meta.url);
const completer = await createCompleter({
  model: '/models/midline-boot-q4_0.gguf',
  createWorker: () => new Worker(beside('./worker.js'), { type: 'module' }),
  wasmUrls: { relaxed: beside(relaxed), simd128: beside(simd128) },
});
globalThis.complete = (prefix, suffix, options) => completer.complete(prefix, suffix, options);
