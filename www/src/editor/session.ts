/** The machine with its state and its runner, for editors that do not keep the state themselves. */
import type { Effect, Event, Place, View } from './events.js';
import { initial, phase, step, view, type Phase, type State } from './machine.js';
import type { Settings } from './options.js';
import { Runner, type Clock, type Host } from './runner.js';

export interface SessionHost extends Omit<Host, 'deliver'> {
  /** Called after each event that changed something, with all it led to. */
  changed(effects: readonly Effect[]): void;
}

export class Session {
  #state: State;
  #runner: Runner;
  #queue: Event[] = [];
  #running = false;

  constructor(
    place: Place,
    settings: Settings,
    private readonly host: SessionHost,
    clock?: Clock,
  ) {
    this.#state = initial(place);
    this.#runner = new Runner(
      settings,
      {
        read: (at) => host.read(at),
        announce: (shown) => host.announce(shown),
        deliver: (event) => this.dispatch(event),
      },
      clock,
    );
  }

  get view(): View | undefined {
    return view(this.#state);
  }

  get state(): State {
    return this.#state;
  }

  get phase(): Phase {
    return phase(this.#state);
  }

  /** Takes an event; those that its effects lead to are taken after it. */
  dispatch(event: Event): void {
    this.#queue.push(event);
    if (this.#running) return;
    this.#running = true;
    try {
      for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
        const { state, effects } = step(this.#state, next);
        this.#state = state;
        if (next.type === 'replaced') this.#runner.forgetAll();
        this.#runner.perform(effects);
        if (effects.length > 0 || next.type === 'answered' || next.type === 'failed')
          this.host.changed(effects);
      }
    } finally {
      this.#running = false;
    }
  }

  dispose(): void {
    this.dispatch({ type: 'disposed' });
    this.#runner.dispose();
  }
}
