/**
 * One worker at a time for each model, over all tabs: Web Locks, which a browser takes from a tab that goes away. Pages
 * that are not secure have none, but nothing that tabs could share either; there a queue in this page does.
 */
import { aborted } from './failures.js';
import type { StoreProgress } from './types.js';

const queues = new Map<string, Promise<unknown>>();

/** Runs `work` when nobody else holds `name`. Rejects with an `AbortError` when `signal` comes before that. */
export async function exclusive<R>(
  name: string,
  signal: AbortSignal | undefined,
  work: () => Promise<R>,
): Promise<R> {
  if (signal?.aborted) throw aborted();
  const locks = globalThis.navigator?.locks;
  if (!locks) return queued(name, signal, work);
  let begun = false;
  try {
    return (await locks.request(name, signal ? { signal } : {}, () => {
      begun = true;
      return work();
    })) as R;
  } catch (error) {
    throw !begun && signal?.aborted ? aborted() : error;
  }
}

/** As {@link exclusive}, but gives `undefined` at once when somebody holds `name`. */
export async function ifFree<R>(name: string, work: () => Promise<R>): Promise<{ result: R } | undefined> {
  const locks = globalThis.navigator?.locks;
  if (!locks) return queues.has(name) ? undefined : { result: await queued(name, undefined, work) };
  return (await locks.request(name, { ifAvailable: true }, async (lock) =>
    lock ? { result: await work() } : undefined,
  )) as { result: R } | undefined;
}

async function queued<R>(name: string, signal: AbortSignal | undefined, work: () => Promise<R>): Promise<R> {
  const before = queues.get(name);
  const turn = (async () => {
    await before?.catch(() => undefined);
    if (signal?.aborted) throw aborted();
    return work();
  })();
  queues.set(name, turn);
  try {
    return await turn;
  } finally {
    if (queues.get(name) === turn) queues.delete(name);
  }
}

interface Told {
  readonly id: string;
  readonly progress: StoreProgress;
}

/** Tells other tabs of progress, and hears of theirs. */
export class ProgressChannel {
  readonly #channel: BroadcastChannel | undefined;

  constructor(
    name: string,
    private readonly id: string,
  ) {
    if (typeof BroadcastChannel === 'function') this.#channel = new BroadcastChannel(name);
  }

  /** Hears until `stopFollowing` or `close`. */
  follow(hear: (progress: StoreProgress) => void): void {
    if (!this.#channel) return;
    this.#channel.onmessage = ({ data }: MessageEvent<Told>) => {
      if (data.id === this.id) hear({ ...data.progress, fetchedBytes: 0, following: true });
    };
  }

  stopFollowing(): void {
    if (this.#channel) this.#channel.onmessage = null;
  }

  tell(progress: StoreProgress): void {
    this.#channel?.postMessage({ id: this.id, progress } satisfies Told);
  }

  close(): void {
    this.#channel?.close();
  }
}
