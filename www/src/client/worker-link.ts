/**
 * One worker and the certainty to hear of its end. Browsers say nothing when a
 * worker closes itself or is killed for its memory; so the worker holds a Web
 * Lock and the page queues for the same lock: getting it means the worker is gone.
 * A worker may also hang. Its work is made of bounded steps: a chunk of the prompt,
 * a token, a text of bounded length to tokenize; and loading, the one long step,
 * reports its progress all the way. So a worker that sends nothing while something
 * is awaited from it will answer nothing else either.
 */
import { describe, MidlineError } from './errors.js';
import type { Answer, FromWorker, ToWorker } from './protocol.js';

/** What the client uses of a `Worker`; tests put a fake in its place. */
export interface WorkerLike {
  postMessage(message: ToWorker): void;
  terminate(): void;
  addEventListener(type: 'message', listener: (event: MessageEvent<FromWorker>) => void): void;
  addEventListener(type: 'messageerror', listener: (event: MessageEvent) => void): void;
  addEventListener(type: 'error', listener: (event: ErrorEvent) => void): void;
}

/** Time between two pings while something is awaited. */
export const PING_EVERY_MS = 2_000;
/**
 * Pings in a row without any message back that make a worker a dead one. Counted
 * instead of timed: after a laptop's sleep the first late tick must not be the last.
 */
export const MAX_UNANSWERED_PINGS = 5;

export type WorkerFactory = () => WorkerLike;

/** What a link calls; `onDeath` at most once, and nothing after it or after `end()`. */
export interface LinkEvents {
  onAnswer(answer: Answer): void;
  onDeath(reason: string): void;
  /** The script could not be fetched, so there never was a worker. In place of `onDeath`. */
  onUnreachable(): void;
  /** Whether anything is awaited from the worker: only then its silence means something. */
  isWaiting(): boolean;
}

export class WorkerLink {
  readonly #worker: WorkerLike;
  readonly #events: LinkEvents;
  readonly #ended = new AbortController();
  #watch: ReturnType<typeof setInterval> | undefined;
  #started = false;
  #unansweredPings = 0;

  constructor(createWorker: WorkerFactory, events: LinkEvents) {
    this.#events = events;
    try {
      this.#worker = createWorker();
      if (typeof this.#worker?.postMessage !== 'function') throw new TypeError('createWorker gave no worker');
    } catch (error) {
      throw new MidlineError({
        code: 'unsupported-browser',
        message: 'The worker could not be started',
        expected: 'a browser and a page policy that allow module workers',
        found: describe(error),
      });
    }
    // Locks are shared by all pages of an origin: time and chance keep names apart.
    const lockName = `midline-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
    this.#worker.addEventListener('message', ({ data }) => this.#receive(data, lockName));
    this.#worker.addEventListener('messageerror', () => this.#die('a message could not be read'));
    this.#worker.addEventListener('error', (event) => {
      event.preventDefault?.(); // it is reported by rejecting, not on the page's console
      // A script that fails gives its message; one that never came gives none.
      if (!event.message && !this.#started) this.#end(() => events.onUnreachable());
      else this.#die(event.message || 'an error without a message');
    });
    this.post({ type: 'start', lockName });
  }

  post(message: ToWorker): void {
    this.#worker.postMessage(message);
    this.#watch ??= setInterval(() => this.#ping(), PING_EVERY_MS);
  }

  /** Ends the worker. No event follows. */
  end(): void {
    this.#ended.abort();
    clearInterval(this.#watch);
    this.#worker.terminate();
  }

  #receive(message: FromWorker, lockName: string): void {
    if (this.#ended.signal.aborted) return;
    this.#unansweredPings = 0;
    switch (message.type) {
      case 'crashed':
        return this.#die(message.message);
      case 'started':
        this.#started = true;
        if (message.lock) this.#awaitLock(lockName);
        return;
      case 'alive':
        return;
      default:
        return this.#events.onAnswer(message);
    }
  }

  #ping(): void {
    if (!this.#events.isWaiting()) {
      clearInterval(this.#watch);
      this.#watch = undefined;
      this.#unansweredPings = 0;
      return;
    }
    if (!this.#started) return; // its script is still on the way, which may take long
    if (this.#unansweredPings === MAX_UNANSWERED_PINGS) {
      const seconds = (MAX_UNANSWERED_PINGS * PING_EVERY_MS) / 1000;
      return this.#die(`no sign of life for ${seconds} s`);
    }
    this.#unansweredPings++;
    this.#worker.postMessage({ type: 'ping' });
  }

  #awaitLock(name: string): void {
    const { signal } = this.#ended;
    navigator.locks
      .request(name, { signal }, () => this.#die('the worker ended without a word'))
      .catch(() => undefined); // aborted by end()
  }

  #die(reason: string): void {
    this.#end(() => this.#events.onDeath(reason));
  }

  #end(tell: () => void): void {
    if (this.#ended.signal.aborted) return;
    this.end();
    tell();
  }
}
