/** A worker that answers when the test says so, and can die in every way a real one can. */
import type { FromWorker, ToWorker } from '../../src/client/protocol.js';
import type { CompletionResult, ModelInfo } from '../../src/client/types.js';
import type { WorkerLike } from '../../src/client/worker-link.js';

export const INFO: ModelInfo = {
  name: 'fake',
  architecture: 'llama',
  parameters: 1,
  contextTokens: 8,
  vocabSize: 2,
  weightsBytes: 1,
  kvBytes: 1,
  formats: ['prefix'],
  warnings: [],
  threads: { available: 1, reason: 'requested' },
};

export function resultWith(text: string): CompletionResult {
  return {
    suggestions: [{ text, score: -1, tokens: 1 }],
    dropped: [],
    stats: {
      promptTokens: 1,
      reusedTokens: 0,
      newTokens: 1,
      prefixTokens: 1,
      suffixTokens: 0,
      healedText: '',
      promptMs: 1,
      prefillMs: 1,
      decodeMs: 1,
      postprocessMs: 0,
      variant: 'simd128',
      threads: 1,
      model: 'fake',
    },
  };
}

type Listener = (event: never) => void;

export class FakeWorker implements WorkerLike {
  readonly received: ToWorker[] = [];
  terminated = false;
  #listeners = new Map<string, Listener[]>();

  /** With `loads` the worker answers a load at once, as most tests want. */
  constructor(private readonly loads = true) {}

  postMessage(message: ToWorker): void {
    if (this.terminated) throw new Error('a message to a worker that was ended');
    this.received.push(message);
    if (message.type === 'load' && this.loads) {
      queueMicrotask(() => this.say({ type: 'loaded', id: message.id, info: INFO }));
    }
  }

  terminate(): void {
    this.terminated = true;
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }

  emit(type: string, event: object): void {
    for (const listener of this.#listeners.get(type) ?? []) listener(event as never);
  }

  say(message: FromWorker): void {
    this.emit('message', { data: message });
  }

  /** The messages of one type, in order. */
  all<T extends ToWorker['type']>(type: T): Extract<ToWorker, { type: T }>[] {
    return this.received.filter((message) => message.type === type) as Extract<ToWorker, { type: T }>[];
  }

  last<T extends ToWorker['type']>(type: T): Extract<ToWorker, { type: T }> {
    const found = this.all(type).at(-1);
    if (!found) throw new Error(`the worker was sent no "${type}"`);
    return found;
  }
}
