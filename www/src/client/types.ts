/**
 * The public types of the package `midline`. Everything here is part of the
 * interface; nothing else is.
 *
 * Units are in the names: `...Tokens` counts model tokens, `...Ms` milliseconds,
 * `...Bytes` bytes. Strings are JavaScript strings (UTF-16); no offsets cross
 * this interface.
 */

/** One build of the engine. `relaxed` needs relaxed SIMD and is faster; both give the same answers. */
export type Variant = 'simd128' | 'relaxed';

/**
 * How the text around the caret is put before the model: the prefix alone, or
 * with the suffix in prefix-suffix-middle or suffix-prefix-middle order. `auto`
 * takes what is preferred for the model, else what its vocabulary allows.
 */
export type PromptFormat = 'prefix' | 'psm' | 'spm';

/** What {@link CompleterOptions.onProgress} is told while a model loads. */
export interface LoadProgress {
  /** `download`: bytes are coming from the network. `load`: the engine is reading the model. */
  readonly phase: 'download' | 'load';
  /** Bytes so far in this phase; never decreases within a phase. */
  readonly loadedBytes: number;
  /** Bytes in all, or `null` where the server does not say. */
  readonly totalBytes: number | null;
}

/** A model whose bytes are read from a blob as they are needed, such as one of `midline/store`. */
export interface ModelInBlob {
  readonly blob: Blob;
}

/** Options of {@link createCompleter}. */
export interface CompleterOptions {
  /**
   * A GGUF model: a URL (a string is resolved against the page), a file the
   * user picked, or the bytes. The bytes are copied, the caller keeps its buffer.
   * What a URL gave is kept as a `Blob`, so that it is downloaded once also when a
   * worker has to be replaced.
   */
  readonly model: string | URL | File | ArrayBuffer | ModelInBlob;
  /**
   * Called while the model loads, also when it is loaded again after the worker died. What it throws does not
   * disturb the load: the first exception goes to `reportError`, later ones nowhere.
   */
  readonly onProgress?: (progress: LoadProgress) => void;
  /**
   * Threads to run on, where the page is cross-origin isolated; {@link ModelInfo.threads} says what came of it. 1: none but
   * the worker itself. Absent: as many as pay, at most 4, measured at the load and while working. The answers are the same.
   */
  readonly threads?: number;
  /**
   * The prompt format that `auto` takes, for models whose best one is known (`models/manifest.json` names it). Without it
   * `auto` takes what the file prefers, else fill-in-the-middle where the vocabulary has it.
   */
  readonly preferredFormat?: PromptFormat;
  /** Forces one build of the engine instead of the best one this browser can run. */
  readonly variant?: Variant;
  /**
   * Starts a worker with the script `midline/worker`, for bundlers that do not find it by themselves. Called again
   * when a worker has died. By default the worker that lies beside the package's code.
   */
  readonly createWorker?: () => Worker;
  /** Addresses of the engine's builds (`midline/wasm/*.wasm`), likewise; a string is resolved against the page. */
  readonly wasmUrls?: Readonly<Partial<Record<Variant, string | URL>>>;
}

/** Options of {@link Completer.complete}. */
export interface CompleteOptions {
  /** Path of the file, `/`-separated. Models trained with file headers are shown its last three parts. */
  readonly path?: string;
  /**
   * Language id as editors use it (`python`, `typescript`). Models trained with file headers are told the language
   * by it where the path has no extension, or is missing.
   */
  readonly languageId?: string;
  /** Most different suggestions to return, best first: 1 (the default) to 8. A wider beam finds more of them. */
  readonly maxSuggestions?: number;
  /** Most tokens to generate for a suggestion: 1 to 256, 48 by default. */
  readonly maxNewTokens?: number;
  /** Hypotheses kept side by side by the beam search: 1 (greedy decoding, the default) to 8. Each costs time. */
  readonly beamWidth?: number;
  /**
   * Whether tokens before the caret may be taken back and chosen anew, so that an answer can complete half a token
   * (token healing): true by default.
   */
  readonly healing?: boolean;
  /**
   * Lines of the longest suggestion: 1 (the default) to 64. More than one are proposed only where the caret stands
   * at the end of a line that opens a block.
   */
  readonly maxLines?: number;
  /**
   * Suggestions whose `score` is below this are dropped (`low-score`): a number of 0 or less, `-Infinity` drops none.
   * Default: the bound that the model's file names, else none.
   */
  readonly minScore?: number;
  /** Which texts are not proposed unless the document holds them already; each is on by default. */
  readonly filters?: FilterOptions;
  /** Prompt format; a format the model cannot do is an error, `auto` (the default) never is. */
  readonly format?: 'auto' | PromptFormat;
  /** Time after which generation stops with what it has, in milliseconds; 0 answers at once. No limit by default. */
  readonly timeBudgetMs?: number;
  /** Aborting rejects the promise with an `AbortError` and stops the work in the engine. */
  readonly signal?: AbortSignal;
}

/** Switches of the filters; what they drop has the reason in {@link Dropped}. */
export interface FilterOptions {
  /** Keys, tokens and private keys (`secret`). */
  readonly secrets?: boolean;
  /** E-mail addresses of people (`email`). */
  readonly emails?: boolean;
  /** Commands that destroy data (`destructive-command`). */
  readonly destructive?: boolean;
  /** Swear words (`profanity`). */
  readonly profanity?: boolean;
}

/** One answer. */
export interface Suggestion {
  /** Text to insert at the caret, with the line ends of the document. Never empty. */
  readonly text: string;
  /** Mean natural logarithm of the probability of its tokens: at most 0, larger is better. */
  readonly score: number;
  /** Tokens that were generated for it. */
  readonly tokens: number;
}

/** Text that was generated and not offered, and why. */
export interface Dropped {
  readonly text: string;
  /** A short stable word such as `blank` or `already-after-caret`. */
  readonly reason: string;
}

/** What one completion cost. */
export interface CompletionStats {
  /** Length of the prompt in tokens. */
  readonly promptTokens: number;
  /** Tokens of the prompt that were kept from the completion before. */
  readonly reusedTokens: number;
  /** Of the prompt, text before the caret, without {@link healedText}. */
  readonly prefixTokens: number;
  /** Of the prompt, text after the caret. */
  readonly suffixTokens: number;
  /** The end of the text before the caret whose tokens were taken back and chosen anew (token healing). */
  readonly healedText: string;
  /** Tokens generated. */
  readonly newTokens: number;
  /** Time to build the prompt. */
  readonly promptMs: number;
  /** Time to read the prompt. */
  readonly prefillMs: number;
  /** Time to generate. */
  readonly decodeMs: number;
  /** Time to make insertable text of what was generated. */
  readonly postprocessMs: number;
  /** The build of the engine that ran. */
  readonly variant: string;
  /** Threads that ran; trials of another number are not told. */
  readonly threads: number;
  /** Name of the model, from its file. */
  readonly model: string;
  /** The prompt format that was used. */
  readonly format?: PromptFormat;
  /**
   * Why that one: the request names it, it is preferred for the model, the vocabulary has fill-in-the-middle tokens,
   * or it has none, so that only the text before the caret could be shown.
   */
  readonly formatReason?: 'requested' | 'preferred' | 'vocabulary' | 'no-template';
  /** Why generation ended, a short stable word such as `line` or `token-budget`. */
  readonly stopReason?: string;
}

/** The answer to {@link Completer.complete}. `suggestions` may be empty; `dropped` then says why. */
export interface CompletionResult {
  readonly suggestions: readonly Suggestion[];
  readonly dropped: readonly Dropped[];
  readonly stats: CompletionStats;
}

/** What the engine says about the model that is loaded. */
export interface ModelInfo {
  /** Name from the file's metadata. */
  readonly name: string;
  /** Architecture from the file's metadata, for instance `llama`. */
  readonly architecture: string;
  /** Number of weights. */
  readonly parameters: number;
  /** Longest prompt and answer together. */
  readonly contextTokens: number;
  readonly vocabSize: number;
  /** Memory of the packed weights. */
  readonly weightsBytes: number;
  /** Memory of the key/value cache. */
  readonly kvBytes: number;
  /** Prompt formats the vocabulary allows. */
  readonly formats: readonly PromptFormat[];
  /** Things worth telling the user, for instance that the model has no fill-in-the-middle tokens. */
  readonly warnings: readonly string[];
  readonly threads: ThreadsInfo;
}

/** Threads that the engine may use. */
export interface ThreadsInfo {
  /** The worker itself included. */
  readonly available: number;
  /**
   * Why there are no more: `requested` (`threads: 1`), `not-isolated` (the page lacks the headers of cross-origin
   * isolation), `no-shared-memory` (the browser cannot share it), `one-processor`, `helpers-failed` (see `detail`).
   */
  readonly reason?: 'requested' | 'not-isolated' | 'no-shared-memory' | 'one-processor' | 'helpers-failed';
  /** What the browser said. */
  readonly detail?: string;
}

/** A loaded model, ready to complete. It lives in its own worker; several may exist side by side. */
export interface Completer {
  /** The loaded model. */
  readonly info: ModelInfo;

  /**
   * Suggests text to insert between `prefix` and `suffix`.
   *
   * The newest request wins: one that is still running when the next arrives is
   * rejected with an `AbortError`. Of a long document only the part near the
   * caret is looked at. Any string is accepted, also with lone surrogates.
   *
   * Rejects with an `AbortError` (a `DOMException`) when aborted or superseded,
   * otherwise with a {@link MidlineError}: `request-invalid` for an argument of
   * the wrong type or range, `format-unavailable`, `worker-died`, `disposed`.
   *
   * After `worker-died` the next request starts a new worker by itself, until
   * three have died in a row. The new one has the model already, but its script
   * and the engine's wasm come from the browser's cache or the network: where
   * neither gives them the request rejects with `offline` or `http-status`, which
   * is not counted as a death, and the next one tries again.
   */
  complete(prefix: string, suffix: string, options?: CompleteOptions): Promise<CompletionResult>;

  /**
   * The model's token ids for `text`. Text never becomes a control token.
   * Waits for a completion that is running. A text of more than 1,000,000
   * characters (UTF-16 units) is refused with `request-invalid`; otherwise
   * rejects as {@link complete} does.
   */
  tokenize(text: string): Promise<number[]>;

  /** Ends the worker and frees its memory; what is pending rejects with `disposed`. May be called twice. */
  dispose(): void;
}
