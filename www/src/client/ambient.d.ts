/**
 * What the compiler cannot know by itself: the generated wasm modules, and the
 * few globals of a worker (the library for workers clashes with the one for pages).
 */

/** `src/wasm/<variant>/midline.js` when it is not built; a build's own declarations take over. */
declare module '*/midline.js' {
  export const Engine: import('./engine.js').EngineModule['Engine'];
  export const initSync: import('./worker-threads.js').ThreadedModule['initSync'];
  export const help: import('./worker-threads.js').ThreadedModule['help'];
  export const threadsReady: import('./worker-threads.js').ThreadedModule['threadsReady'];
  export default function init(options: {
    module_or_path: WebAssembly.Module;
    memory?: WebAssembly.Memory;
  }): Promise<{ memory: WebAssembly.Memory }>;
}

declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}
