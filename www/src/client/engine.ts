/**
 * The shape of a generated wasm module, the only door to Rust. Written by hand,
 * so that the worker is typed without a wasm build at hand.
 */
import type { CompletionRequest } from './protocol.js';
import type { CompletionResult, ModelInfo, PromptFormat, ThreadsInfo } from './types.js';

/** A model file the engine can read from, synchronously. */
export interface ByteSource {
  /** Length of the file in bytes. */
  readonly size: number;
  /** Fills `into` completely with the bytes from `offset` on, or throws. */
  read(offset: number, into: Uint8Array): void;
}

/** A model file as it was opened. */
export interface OpenModel extends ByteSource {
  /** The file as a blob, where it came by the network and the page has none of it yet. */
  toBlob?(): Blob;
}

/** A loaded model in wasm memory. Throws plain `ErrorFields`; anything else means it has crashed. */
export interface Engine {
  info(): Omit<ModelInfo, 'threads'>;
  /**
   * Completes in steps. Between two steps `pause` is awaited; if that gives
   * `false` the completion is dropped and the promise rejects with `aborted`.
   */
  complete(request: CompletionRequest, pause: () => Promise<boolean>): Promise<CompletionResult>;
  tokenize(text: string): Uint32Array;
  free(): void;
}

/** What the engine is loaded with. */
export interface LoadOptions {
  readonly contextTokens?: number;
  readonly preferredFormat?: PromptFormat;
  /** Threads to run on, as far as there are so many. */
  readonly threads?: number;
  /** Threads of which as many are used as pay, by measurement. */
  readonly maxThreads?: number;
}

export interface EngineModule {
  readonly Engine: {
    /** Synchronous; `onProgress` gets the bytes read so far. */
    load(source: ByteSource, options: LoadOptions, onProgress?: (bytes: number) => void): Engine;
  };
  readonly threads: ThreadsInfo;
}
