/**
 * The messages between the page and the worker. Both sides switch over `type`,
 * so a message that is added and not handled does not compile.
 *
 * Every request has an `id` and gets exactly one of `loaded`, `completed`,
 * `tokens` or `failed` back, also when it was cancelled (`failed` with the code
 * `aborted`). After `crashed` nothing more comes: the engine's memory cannot be
 * trusted any longer and the page ends the worker.
 */
import type { ErrorFields } from './errors.js';
import type {
  CompletionResult,
  FilterOptions,
  LoadProgress,
  ModelInfo,
  PromptFormat,
  Variant,
} from './types.js';

/** Where the model comes from. Bytes travel as a `Blob`: by reference, read in slices. */
export type ModelSource =
  { readonly kind: 'url'; readonly url: string } | { readonly kind: 'blob'; readonly blob: Blob };

/** A completion as the engine takes it: plain data, already bounded in size. */
export interface CompletionRequest {
  readonly prefix: string;
  readonly suffix: string;
  readonly path?: string;
  readonly languageId?: string;
  readonly maxSuggestions?: number;
  readonly maxNewTokens?: number;
  readonly beamWidth?: number;
  readonly healing?: boolean;
  readonly maxLines?: number;
  readonly minScore?: number;
  readonly filters?: FilterOptions;
  readonly format?: 'auto' | PromptFormat;
  readonly timeBudgetMs?: number;
}

/** First message: the worker takes the Web Lock of this name and holds it for life. */
export interface StartMessage {
  readonly type: 'start';
  readonly lockName: string;
}

/** Address of every build of the engine, absolute: the worker knows none of them. */
export type WasmUrls = Readonly<Partial<Record<Variant, string>>>;

/** Loads a model. A second load in one worker replaces the first model only if it succeeds. */
export interface LoadMessage {
  readonly type: 'load';
  readonly id: number;
  readonly model: ModelSource;
  /** What the prompt format `auto` takes. */
  readonly preferredFormat?: PromptFormat;
  /** The build to run; ignored by a second load, one worker runs one build. */
  readonly variant?: Variant;
  readonly wasmUrls?: WasmUrls;
  /** Threads to run on; absent: as many as pay. Ignored by a second load. */
  readonly threads?: number;
}

/** Completes. A newer `complete` supersedes one that is waiting or running. */
export interface CompleteMessage {
  readonly type: 'complete';
  readonly id: number;
  readonly request: CompletionRequest;
}

export interface TokenizeMessage {
  readonly type: 'tokenize';
  readonly id: number;
  readonly text: string;
}

/** Stops the completion `id`, waiting or running; nothing happens if it is over. */
export interface CancelMessage {
  readonly type: 'cancel';
  readonly id: number;
}

/** Asks for a sign of life; the worker answers `alive` between two steps, whatever it is doing. */
export interface PingMessage {
  readonly type: 'ping';
}

/** What the engine's host gets; the worker answers the others itself. */
export type Request = LoadMessage | CompleteMessage | TokenizeMessage | CancelMessage;

export type ToWorker = StartMessage | PingMessage | Request;

/** What answers a request; `progress` may come any number of times before `loaded`. */
export type Answer =
  | { readonly type: 'progress'; readonly id: number; readonly progress: LoadProgress }
  /** `model` holds the bytes of a download, so that another worker needs no network for them. */
  | { readonly type: 'loaded'; readonly id: number; readonly info: ModelInfo; readonly model?: Blob }
  | { readonly type: 'completed'; readonly id: number; readonly result: CompletionResult }
  | { readonly type: 'tokens'; readonly id: number; readonly tokens: number[] }
  | { readonly type: 'failed'; readonly id: number; readonly error: ErrorFields };

export type FromWorker =
  | Answer
  /** Answers `start`; `lock` says whether the lock is held (insecure pages have no locks). */
  | { readonly type: 'started'; readonly lock: boolean }
  | { readonly type: 'alive' }
  | { readonly type: 'crashed'; readonly message: string };
