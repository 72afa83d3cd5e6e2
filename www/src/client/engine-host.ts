/**
 * The worker's half of the protocol, without the worker: it owns the engine,
 * runs one job at a time and sees messages between the steps of a completion.
 *
 * The order of things: a waiting or running completion gives way to a newer one;
 * tokenize jobs keep their order; nothing runs before the first load is over; a
 * further load downloads beside the work and swaps engines between two jobs.
 */
import type { Engine, EngineModule, OpenModel } from './engine.js';
import { describe, errorFields, type ErrorFields } from './errors.js';
import type {
  CompleteMessage,
  FromWorker,
  LoadMessage,
  ModelSource,
  Request,
  TokenizeMessage,
} from './protocol.js';
import type { LoadProgress, PromptFormat } from './types.js';

/** What the host needs from its surroundings. */
export interface HostEnvironment {
  post(message: FromWorker): void;
  /** Loads the wasm module; called once. */
  loadModule(message: LoadMessage): Promise<EngineModule>;
  openModel(model: ModelSource, onProgress: (progress: LoadProgress) => void): Promise<OpenModel>;
  /** Resolves in a later turn of the event loop, after messages that have arrived were handled. */
  nextTurn(): Promise<void>;
}

interface Swap {
  readonly type: 'swap';
  readonly id: number;
  readonly module: EngineModule;
  readonly source: OpenModel;
  readonly options: { preferredFormat?: PromptFormat };
}

type Job = CompleteMessage | TokenizeMessage | Swap;

const ABORTED: ErrorFields = { code: 'aborted', message: 'The completion was aborted' };

export class EngineHost {
  #module: Promise<EngineModule> | undefined;
  #engine: Engine | undefined;
  #jobs: Job[] = [];
  #running: Job | undefined;
  /** The completion that must stop at its next pause. */
  #stopping: Job | undefined;
  #loads: Promise<void> = Promise.resolve();
  #loading = 0;
  #crashed = false;

  constructor(private readonly environment: HostEnvironment) {}

  /** Takes one message. Never throws: every request is answered by a message. */
  handle(message: Request): void {
    if (this.#crashed) return;
    switch (message.type) {
      case 'load':
        this.#loading++;
        this.#loads = this.#loads.then(() => this.#open(message));
        break;
      case 'complete':
        for (const job of this.#jobs) if (job.type === 'complete') this.#cancel(job.id);
        if (this.#running?.type === 'complete') this.#cancel(this.#running.id);
        this.#jobs.push(message);
        break;
      case 'tokenize':
        this.#jobs.push(message);
        break;
      case 'cancel':
        this.#cancel(message.id);
        break;
    }
    void this.#pump();
  }

  #cancel(id: number): void {
    if (this.#running?.type === 'complete' && this.#running.id === id) {
      this.#stopping = this.#running;
      return;
    }
    const waiting = this.#jobs.findIndex((job) => job.type === 'complete' && job.id === id);
    if (waiting < 0) return;
    this.#jobs.splice(waiting, 1);
    this.#fail(id, ABORTED);
  }

  /** Fetches what a load needs, then queues the swap before everything that waits. */
  async #open(message: LoadMessage): Promise<void> {
    const { environment } = this;
    try {
      const module = (this.#module ??= environment.loadModule(message));
      module.catch(() => (this.#module = undefined)); // the next load tries again
      const [loaded, source] = await Promise.all([
        module,
        environment.openModel(message.model, (progress) =>
          environment.post({ type: 'progress', id: message.id, progress }),
        ),
      ]);
      const { id, preferredFormat, threads } = message;
      const options = {
        ...(preferredFormat && { preferredFormat }),
        ...(threads ? { threads } : { maxThreads: loaded.threads.available }),
      };
      this.#jobs.unshift({ type: 'swap', id, module: loaded, source, options });
    } catch (error) {
      this.#loading--;
      this.#fail(message.id, errorFields(error) ?? { code: 'internal', message: describe(error) });
    }
    void this.#pump();
  }

  /** Runs jobs until none may run. Only one call at a time is past the first line. */
  async #pump(): Promise<void> {
    while (!this.#running && !this.#crashed) {
      const first = this.#jobs[0];
      if (!first) return;
      if (first.type !== 'swap' && !this.#engine && this.#loading > 0) return;
      this.#jobs.shift();
      this.#running = first;
      try {
        await this.#run(first);
      } catch (error) {
        const fields = errorFields(error);
        if (fields) this.#fail(first.id, fields);
        else this.#crash(error);
      } finally {
        if (first.type === 'swap') this.#loading--;
        this.#running = undefined;
        this.#stopping = undefined;
      }
    }
  }

  async #run(job: Job): Promise<void> {
    if (job.type === 'swap') return this.#swap(job);
    const engine = this.#engine;
    if (!engine) throw { code: 'internal', message: 'No model is loaded' } satisfies ErrorFields;
    const { post, nextTurn } = this.environment;
    if (job.type === 'tokenize') {
      post({ type: 'tokens', id: job.id, tokens: Array.from(engine.tokenize(job.text)) });
      return;
    }
    const pause = async (): Promise<boolean> => {
      await nextTurn();
      return this.#stopping !== job;
    };
    // One turn first, so that of a burst of requests only the last one starts.
    if (!(await pause())) throw ABORTED;
    const result = await engine.complete(job.request, pause);
    post({ type: 'completed', id: job.id, result });
  }

  /** Loads the new engine and only then lets go of the old one. */
  #swap({ id, module, source, options }: Swap): void {
    const { post } = this.environment;
    const report = (bytes: number): void => {
      const progress = { phase: 'load', loadedBytes: bytes, totalBytes: source.size } as const;
      post({ type: 'progress', id, progress });
    };
    const engine = module.Engine.load(source, options, report);
    report(source.size); // the engine counts the weights only
    this.#engine?.free();
    this.#engine = engine;
    const model = source.toBlob?.();
    const info = { ...engine.info(), threads: module.threads };
    post({ type: 'loaded', id, info, ...(model && { model }) });
  }

  #fail(id: number, error: ErrorFields): void {
    this.environment.post({ type: 'failed', id, error });
  }

  /** A trap or a foreign exception: wasm memory may be in any state, so nothing may run any more. */
  #crash(error: unknown): void {
    this.#crashed = true;
    this.environment.post({ type: 'crashed', message: describe(error) });
  }
}
