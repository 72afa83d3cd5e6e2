/**
 * The page's half of the protocol: turns calls into messages and answers into
 * settled promises. What it guarantees: every promise settles; a completion that
 * is aborted or superseded rejects at once and is stopped in the worker; a worker
 * that dies takes its pending requests with it and the next request gets a new one.
 * A worker that cannot be fetched, or cannot fetch what it needs, did not die: its
 * requests reject with that reason, and the next one tries again.
 */
import { abortError, MidlineError, reportUncaught, type ErrorFields } from './errors.js';
import type { Answer, ModelSource, ToWorker, WasmUrls } from './protocol.js';
import { completionRequest, modelSource, textToTokenize } from './request.js';
import type {
  CompleteOptions,
  Completer,
  CompleterOptions,
  CompletionResult,
  LoadProgress,
  ModelInfo,
} from './types.js';
import { wasmUrls } from './worker-files.js';
import { WorkerLink, type WorkerFactory } from './worker-link.js';

/** Deaths in a row, with no answer between, after which no further worker is started. */
export const MAX_DEATHS_IN_A_ROW = 3;

/** A request without an answer yet. `type` is the message that answers it. */
type Pending =
  | { readonly type: 'loaded'; resolve(info: ModelInfo): void; reject(error: Error): void }
  | { readonly type: 'completed'; resolve(result: CompletionResult): void; reject(error: Error): void }
  | { readonly type: 'tokens'; resolve(tokens: number[]): void; reject(error: Error): void };

export class Client implements Completer {
  #info: ModelInfo | undefined;
  #link: WorkerLink | undefined;
  #pending = new Map<number, Pending>();
  #nextId = 1;
  /** The completion that the next one supersedes. */
  #newest: number | undefined;
  #deathsInARow = 0;
  #disposed = false;
  /** What a worker loads: what the caller gave, and once downloaded the bytes themselves. */
  #model: ModelSource;
  #wasmUrls: WasmUrls;
  #progressFailed = false;

  private constructor(
    private readonly options: CompleterOptions,
    private readonly createWorker: WorkerFactory,
  ) {
    this.#model = modelSource(options);
    this.#wasmUrls = wasmUrls(options.wasmUrls);
  }

  /** Starts a worker and loads the model. Rejects with the load's error; nothing is left behind then. */
  static async create(options: CompleterOptions, createWorker: WorkerFactory): Promise<Client> {
    const client = new Client(options, createWorker);
    try {
      await client.#start();
    } catch (error) {
      client.dispose();
      throw error;
    }
    return client;
  }

  get info(): ModelInfo {
    return this.#info as ModelInfo; // set by the load that `create` waits for
  }

  async complete(prefix: string, suffix: string, options?: CompleteOptions): Promise<CompletionResult> {
    const request = completionRequest(prefix, suffix, options);
    const signal = options?.signal;
    if (signal?.aborted) throw abortError();
    const link = this.#connect();
    if (this.#newest !== undefined) this.#cancel(this.#newest, 'A newer completion took its place');
    const id = this.#nextId++;
    this.#newest = id;
    const onAbort = () => this.#cancel(id);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      return await new Promise<CompletionResult>((resolve, reject) => {
        this.#pending.set(id, { type: 'completed', resolve, reject });
        link.post({ type: 'complete', id, request });
      });
    } finally {
      signal?.removeEventListener('abort', onAbort);
      if (this.#newest === id) this.#newest = undefined;
    }
  }

  async tokenize(text: string): Promise<number[]> {
    textToTokenize(text);
    const link = this.#connect();
    const id = this.#nextId++;
    return new Promise<number[]>((resolve, reject) => {
      this.#pending.set(id, { type: 'tokens', resolve, reject });
      link.post({ type: 'tokenize', id, text });
    });
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#disposed = true;
    this.#end({ code: 'disposed', message: 'The completer was disposed' });
  }

  /** The worker to send to: the one there is, or a new one that loads the model again. */
  #connect(): WorkerLink {
    if (this.#disposed) throw new MidlineError({ code: 'disposed', message: 'The completer was disposed' });
    if (this.#link) return this.#link;
    if (this.#deathsInARow >= MAX_DEATHS_IN_A_ROW) {
      throw new MidlineError({
        code: 'worker-died',
        message: `The worker died ${this.#deathsInARow} times in a row and is not started again`,
      });
    }
    // The worker keeps requests until its model is loaded, so nobody waits here.
    // If the load fails, that ends the link and with it everything pending.
    this.#start().catch(() => undefined);
    return this.#link as unknown as WorkerLink;
  }

  #start(): Promise<ModelInfo> {
    const createWorker = (this.options.createWorker as WorkerFactory | undefined) ?? this.createWorker;
    const link = new WorkerLink(createWorker, {
      onAnswer: (answer) => this.#receive(answer),
      isWaiting: () => this.#pending.size > 0,
      onDeath: (reason) => {
        this.#deathsInARow++;
        this.#end({ code: 'worker-died', message: `The worker died: ${reason}`, found: reason });
      },
      onUnreachable: () =>
        this.#end({
          code: 'offline',
          message: 'The script of the worker could not be loaded',
          expected: 'the script from the server or the browser’s cache, and a page policy that allows it',
          found: 'no script',
        }),
    });
    this.#link = link;
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { type: 'loaded', resolve, reject });
      const { preferredFormat, threads, variant } = this.options;
      const load: ToWorker = { type: 'load', id, model: this.#model, wasmUrls: this.#wasmUrls };
      link.post({
        ...load,
        ...(preferredFormat && { preferredFormat }),
        ...(threads && { threads }),
        ...(variant && { variant }),
      });
    });
  }

  #receive(message: Answer): void {
    const pending = this.#pending.get(message.id);
    if (!pending) return; // it was cancelled
    if (message.type === 'progress') {
      this.#report(message.progress);
      return;
    }
    this.#pending.delete(message.id);
    if (message.type === 'failed') {
      const { error } = message;
      pending.reject(error.code === 'aborted' ? abortError() : new MidlineError(error));
      if (pending.type === 'loaded') this.#end(error);
      return;
    }
    if (message.type === 'loaded' && pending.type === 'loaded') {
      this.#info = message.info;
      if (message.model) this.#model = { kind: 'blob', blob: message.model };
      pending.resolve(message.info);
      return;
    }
    this.#deathsInARow = 0;
    if (message.type === 'completed' && pending.type === 'completed') pending.resolve(message.result);
    else if (message.type === 'tokens' && pending.type === 'tokens') pending.resolve(message.tokens);
    else
      pending.reject(new MidlineError({ code: 'internal', message: `Unexpected answer: ${message.type}` }));
  }

  /** The caller's function must not disturb the load: its first exception is reported, further ones are not. */
  #report(progress: LoadProgress): void {
    try {
      this.options.onProgress?.(progress);
    } catch (error) {
      if (!this.#progressFailed) reportUncaught(error);
      this.#progressFailed = true;
    }
  }

  #cancel(id: number, reason?: string): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    this.#pending.delete(id);
    this.#link?.post({ type: 'cancel', id });
    pending.reject(abortError(reason));
  }

  /** Ends the worker and rejects everything pending. The next request starts anew, unless disposed. */
  #end(error: ErrorFields): void {
    this.#link?.end();
    this.#link = undefined;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of pending) reject(new MidlineError(error));
  }
}
