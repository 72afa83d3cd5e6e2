/**
 * Carries effects out: waits after keys, looks into the cache, asks the completer,
 * aborts, and brings answers back as events. One runner for each editor.
 */
import { describe } from '../client/errors.js';
import type { CompletionResult } from '../client/types.js';
import { trimPrefix, trimSuffix } from '../client/window.js';
import { SuggestionCache, type Around } from './cache.js';
import type { Effect, Event, Place, View } from './events.js';
import type { Settings } from './options.js';
import { UNKNOWN, waitMs, withAnswer, withKey, type Rhythm } from './rhythm.js';
import { showable } from './rules.js';

/** Typing pauses at least this long before a suggestion is read out. */
export const QUIET_MS = 700;

/** The document at a place, and the rules that hold there. */
export interface Reading extends Around {
  /** Whether text follows on the same line. */
  readonly midLine: boolean;
  /** The line ends of the editor's document. */
  readonly eol: string;
}

export interface Host {
  /** The document at `place`; `undefined` if it is not there any more. */
  read(place: Place): Reading | undefined;
  /** Takes an event to the machine; may be called while effects are carried out. */
  deliver(event: Event): void;
  announce(view: View): void;
}

/** Time, so that tests can have their own. */
export interface Clock {
  now(): number;
  set(action: () => void, ms: number): unknown;
  clear(timer: unknown): void;
}

export const CLOCK: Clock = {
  now: () => performance.now(),
  set: (action, ms) => setTimeout(action, ms),
  clear: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
};

/** A request that is out: it waits for its time, or for the completer. */
interface Out {
  readonly id: number;
  readonly abort: AbortController;
  timer?: unknown;
  asked: boolean;
}

export class Runner {
  #out: Out | undefined;
  #announcement: unknown;
  #rhythm: Rhythm = UNKNOWN;
  readonly #cache = new SuggestionCache();

  constructor(
    private readonly settings: Settings,
    private readonly host: Host,
    private readonly clock: Clock = CLOCK,
  ) {}

  perform(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.type === 'request') this.#request(effect);
      else if (effect.type === 'cancel') this.#cancel(effect.id);
      else if (effect.type === 'show' || effect.type === 'hide') this.#unannounce();
      else if (effect.type === 'announce') this.#announce(effect.view, effect.soon);
      else if (effect.type === 'forget') {
        const reading = this.#read(effect.place);
        if (reading) this.#cache.forget(reading, effect.text);
      }
    }
  }

  /** Another document: what is known of the one before is of no use. */
  forgetAll(): void {
    this.#cache.clear();
  }

  dispose(): void {
    if (this.#out) this.#cancel(this.#out.id);
    this.#unannounce();
    this.#cache.clear();
  }

  #request({ id, place, occasion }: Effect & { type: 'request' }): void {
    const many = occasion === 'command';
    if (occasion === 'typing') this.#rhythm = withKey(this.#rhythm, this.clock.now());
    if (this.#out) this.#cancel(this.#out.id);
    const reading = this.#read(place);
    if (!reading) return this.host.deliver({ type: 'failed', id });
    const kept = this.#cache.find(reading, many);
    if (kept) return this.#answer(id, place, reading, kept, true);
    const out: Out = { id, abort: new AbortController(), asked: false };
    this.#out = out;
    const ask = (): void => void this.#ask(out, place, reading, many);
    if (occasion === 'typing')
      out.timer = this.clock.set(ask, this.settings.debounceMs ?? waitMs(this.#rhythm));
    else ask();
  }

  #read(place: Place): Reading | undefined {
    try {
      const reading = this.host.read(place);
      // Cut as the client cuts it: what is not sent must not decide whether an answer is known.
      return (
        reading && { ...reading, prefix: trimPrefix(reading.prefix), suffix: trimSuffix(reading.suffix) }
      );
    } catch (error) {
      this.settings.tell({ type: 'failed', error }); // an editor that is gone
      return undefined;
    }
  }

  async #ask(out: Out, place: Place, reading: Reading, many: boolean): Promise<void> {
    const { completer, complete, maxSuggestions, tell } = this.settings;
    const { prefix, suffix, path, languageId } = reading;
    const isOut = (): boolean => this.#out === out;
    out.asked = true;
    tell({ type: 'thinking' });
    if (!isOut()) return; // the listener went on
    const asked = this.clock.now();
    try {
      const result = await completer.complete(prefix, suffix, {
        ...complete,
        ...(path !== undefined && { path }),
        ...(languageId !== undefined && { languageId }),
        maxSuggestions: many ? maxSuggestions : 1,
        signal: out.abort.signal,
      });
      if (!isOut()) return;
      const checked = wellFormed(result);
      this.#out = undefined;
      this.#rhythm = withAnswer(this.#rhythm, this.clock.now() - asked);
      // What the time was not enough for may be found the next time.
      if (checked.stats?.stopReason !== 'time-budget') this.#cache.add(reading, checked, many);
      this.#answer(out.id, place, reading, checked, false);
    } catch (error) {
      if (!isOut()) return;
      this.#out = undefined;
      const aborted = (error as { name?: unknown } | null)?.name === 'AbortError';
      tell(aborted ? { type: 'cancelled' } : { type: 'failed', error });
      this.host.deliver({ type: 'failed', id: out.id });
    }
  }

  #answer(id: number, place: Place, reading: Reading, result: CompletionResult, cached: boolean): void {
    const texts = showable(
      result.suggestions.map(({ text }) => text),
      reading.midLine,
      reading.eol,
    );
    if (texts.length > 0) this.settings.tell({ type: 'suggested', result, cached });
    else this.settings.tell({ type: 'nothing', reason: reasonFor(result), result });
    this.host.deliver({ type: 'answered', id, place, texts });
  }

  #cancel(id: number): void {
    const out = this.#out;
    if (out?.id !== id) return;
    this.#out = undefined;
    this.clock.clear(out.timer);
    out.abort.abort();
    if (out.asked) this.settings.tell({ type: 'cancelled' });
  }

  #announce(view: View, soon: boolean): void {
    this.#unannounce();
    if (soon) return this.host.announce(view);
    this.#announcement = this.clock.set(() => this.host.announce(view), QUIET_MS);
  }

  #unannounce(): void {
    this.clock.clear(this.#announcement);
    this.#announcement = undefined;
  }
}

/** A completer is the caller's: what it gives may be anything. @throws TypeError if it is not an answer */
function wellFormed(result: CompletionResult): CompletionResult {
  const suggestions: unknown = (result as CompletionResult | undefined)?.suggestions;
  const isText = (each: unknown): boolean => typeof (each as { text?: unknown } | null)?.text === 'string';
  if (Array.isArray(suggestions) && suggestions.every(isText)) return result;
  throw new TypeError(`a completion must have suggestions with texts, but it is ${describe(result)}`);
}

function reasonFor({ suggestions, dropped, stats }: CompletionResult): string {
  if (suggestions.length > 0) return 'line-break-before-text';
  return dropped?.[0]?.reason ?? stats?.stopReason ?? 'empty';
}
