/** Time that passes when a test says so. */
import type { Clock } from '../../src/editor/index.js';

interface Timer {
  readonly at: number;
  readonly action: () => void;
}

export class FakeClock implements Clock {
  #now = 0;
  #timers = new Set<Timer>();

  now(): number {
    return this.#now;
  }

  set(action: () => void, ms: number): unknown {
    const timer = { at: this.#now + ms, action };
    this.#timers.add(timer);
    return timer;
  }

  clear(timer: unknown): void {
    this.#timers.delete(timer as Timer);
  }

  /** Timers that have not fired. */
  get waiting(): number {
    return this.#timers.size;
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (!next) break;
      this.#timers.delete(next);
      this.#now = next.at;
      next.action();
    }
    this.#now = end;
  }
}
