/**
 * The life of suggestions in one editor, as a function from state and event to
 * state and effects. It knows no editor, no clock and no promise; whoever runs it
 * keeps the state and carries the effects out.
 *
 * Idle -> waiting (a request is out) -> showing -> idle; while something is shown
 * there may be a request too, for more suggestions to go through.
 */
import { accepted } from './amounts.js';
import type { Effect, Event, Ghost, Occasion, Place, View } from './events.js';
import { applyEdits, tailPlaces, type Region } from './region.js';

/** A request without an answer. */
interface Waiting {
  readonly id: number;
  readonly place: Place;
  /** Step through the suggestions when the answer is there. */
  readonly then: -1 | 0 | 1;
}

/** Suggestions that agree with the document. */
interface Shown extends Region {
  /** Whole texts from the anchor on, best first; also those that the user's typing has ruled out. */
  readonly texts: readonly string[];
  /** The one on display. */
  readonly selected: string;
  /** Whether all there are have been asked for. */
  readonly complete: boolean;
}

export interface State {
  readonly place: Place;
  readonly waiting: Waiting | undefined;
  readonly shown: Shown | undefined;
  /** An input method composes: nothing is shown or asked for. */
  readonly composing: boolean;
  /** The editor's own popup is open: what is shown is out of sight. */
  readonly popup: boolean;
  readonly nextId: number;
  readonly disposed: boolean;
}

export type Phase = 'idle' | 'waiting' | 'showing' | 'disposed';

export interface Step {
  readonly state: State;
  readonly effects: readonly Effect[];
}

export function initial(place: Place): State {
  return {
    place,
    waiting: undefined,
    shown: undefined,
    composing: false,
    popup: false,
    nextId: 1,
    disposed: false,
  };
}

export function phase({ disposed, shown, waiting }: State): Phase {
  return disposed ? 'disposed' : shown ? 'showing' : waiting ? 'waiting' : 'idle';
}

/** What is to be seen now: nothing while a popup is open. */
export function view(state: State): View | undefined {
  return state.shown && !state.popup ? viewOf(state.shown) : undefined;
}

/** All suggestions that agree with the document, the one on display first, for editors that show them themselves. */
export function choices({ shown }: State): (Region & { readonly texts: readonly string[] }) | undefined {
  if (!shown) return undefined;
  const { anchor, typed, tail, selected } = shown;
  const others = alive(shown).filter((text) => text !== selected);
  return { anchor, typed, tail, texts: [selected, ...others] };
}

/** One step. An event that means nothing in this state changes nothing. */
export function step(state: State, event: Event): Step {
  if (state.disposed) return { state, effects: [] };
  const next = react(state, event);
  return { state: next.state, effects: [...next.effects, ...display(state, next.state, event)] };
}

function react(state: State, event: Event): Step {
  switch (event.type) {
    case 'edited': {
      const { place, cause } = event;
      const shown = place.open && state.shown && follow(state.shown, event);
      if (shown) return cancelled({ ...state, place, shown });
      const idle = dropped({ ...state, place });
      if (cause === 'other' || state.composing || !place.open || place.beforeWord) return idle;
      return requesting(idle, cause === 'accepted' ? 'accept' : 'typing');
    }
    case 'moved':
      return samePlace(state.place, event.place)
        ? just({ ...state, place: event.place })
        : dropped({ ...state, place: event.place });
    case 'replaced':
      return dropped({ ...state, place: event.place, composing: false, popup: false });
    case 'blurred':
      return dropped(state);
    case 'composition': {
      const changed = { ...state, place: event.place, composing: event.active };
      if (event.active) return dropped(changed);
      if (!state.composing || !event.place.open || event.place.beforeWord) return just(changed);
      return requesting(dropped(changed), 'typing');
    }
    case 'popup':
      return just({ ...state, popup: event.open });
    case 'asked': {
      const { place, occasion } = event;
      if (samePlace(state.place, place) && (state.shown || state.waiting)) return just({ ...state, place });
      const idle = dropped({ ...state, place });
      return state.composing || !place.open || place.beforeWord ? idle : requesting(idle, occasion);
    }
    case 'withdrawn':
      return cancelled(state);
    case 'triggered': {
      const here = { ...state, place: event.place };
      if (!event.place.open || state.composing) return dropped(here);
      const { shown } = state;
      return shown && samePlace(state.place, event.place)
        ? more(here, shown, 0)
        : requesting(dropped(here), 'command');
    }
    case 'cycled':
      return state.shown && !state.popup ? more(state, state.shown, event.by) : just(state);
    case 'accepted': {
      const effect = state.shown && !state.popup && insertion(state.shown, event.amount);
      return effect ? { state, effects: [effect] } : just(state);
    }
    case 'dismissed': {
      const { shown } = state;
      const idle = dropped(state);
      if (!shown) return idle;
      const text = shown.selected.slice(shown.typed.length);
      return { ...idle, effects: [...idle.effects, { type: 'forget', place: state.place, text }] };
    }
    case 'answered':
      return answered(state, event);
    case 'failed':
      return state.waiting?.id === event.id ? just({ ...state, waiting: undefined }) : just(state);
    case 'disposed':
      return cancelled({ ...state, shown: undefined, disposed: true });
  }
}

/** Used only for the request that is out, and only if document and caret are those it was made for. */
function answered(state: State, { id, place, texts }: Event & { type: 'answered' }): Step {
  const { waiting, shown } = state;
  if (waiting?.id !== id) return just(state);
  const idle: State = { ...state, waiting: undefined };
  if (!samePlace(place, state.place) || state.composing) return just(idle);
  if (shown) {
    // More to go through: what is on display stays first, the rest is found from the caret on.
    const all = [...shown.texts, ...texts.map((text) => shown.typed + text)];
    return cycled({ ...idle, shown: { ...shown, texts: unique(all), complete: true } }, waiting.then);
  }
  const [first] = texts;
  if (first === undefined) return just(idle);
  const region: Region = { anchor: place.caret, typed: '', tail: '' };
  return just({
    ...idle,
    shown: { ...region, texts: unique(texts), selected: first, complete: texts.length > 1 },
  });
}

/** The suggestions after an edit: those that what was typed agrees with. `undefined` if none does. */
function follow(shown: Shown, { edits, place, cause }: Event & { type: 'edited' }): Shown | undefined {
  const region = applyEdits(shown, edits, place.caret, cause === 'other');
  if (!region) return undefined;
  const moved: Shown = { ...shown, ...region };
  const live = alive(moved);
  const [first] = live;
  if (first === undefined) return undefined;
  return { ...moved, selected: live.includes(shown.selected) ? shown.selected : first };
}

/** The texts that go on after what is typed. */
function alive({ texts, typed }: Shown): readonly string[] {
  return texts.filter((text) => text.length > typed.length && text.startsWith(typed));
}

/** Asks for all suggestions if that was not done yet, then goes `by` steps on. */
function more(state: State, shown: Shown, by: -1 | 0 | 1): Step {
  if (shown.complete) return cycled(state, by);
  return requesting(cancelled(state), 'command', by);
}

function cycled(state: State, by: -1 | 0 | 1): Step {
  const { shown } = state;
  if (!shown || by === 0) return just(state);
  const live = alive(shown);
  const selected = live[(live.indexOf(shown.selected) + by + live.length) % live.length];
  return just(selected === undefined ? state : { ...state, shown: { ...shown, selected } });
}

function insertion(shown: Shown, amount: 'all' | 'word' | 'line'): Effect {
  const rest = shown.selected.slice(shown.typed.length);
  const insert = accepted(rest, amount);
  const from = shown.anchor + shown.typed.length;
  // Closing characters of the editor that the accepted text contains are replaced by it.
  const swallowed = tailPlaces(rest, shown.tail).filter((place) => place < insert.length).length;
  return { type: 'insert', edit: { from, to: from + swallowed, insert }, caret: from + insert.length };
}

function viewOf(shown: Shown): View {
  const { selected, typed, tail, anchor } = shown;
  const rest = selected.slice(typed.length);
  const live = alive(shown);
  return {
    ghosts: ghostsOf(rest, tail, anchor + typed.length),
    text: rest,
    index: live.indexOf(selected),
    count: live.length,
  };
}

/** `rest` around the closing characters it contains; behind a line break it cannot be parted on screen. */
function ghostsOf(rest: string, tail: string, caret: number): Ghost[] {
  const places = tailPlaces(rest, tail).filter((place) => !rest.slice(0, place).includes('\n'));
  const ghosts: Ghost[] = [];
  [...places, rest.length].forEach((place, i) => {
    const text = rest.slice(i === 0 ? 0 : (places[i - 1] as number) + 1, place);
    if (text !== '') ghosts.push({ at: caret + i, text });
  });
  return ghosts;
}

/** What changed for the eye and the ear. */
function display(before: State, after: State, event: Event): Effect[] {
  const [old, now] = [view(before), view(after)];
  if (!now) return old ? [{ type: 'hide' }] : [];
  if (old && sameView(old, now)) return [];
  const show: Effect = { type: 'show', view: now };
  // Typing along is nothing new to hear.
  const soon = event.type === 'cycled' || (event.type === 'answered' && before.waiting?.then !== 0);
  const isNews = soon || event.type === 'answered' || event.type === 'triggered';
  return isNews ? [show, { type: 'announce', view: now, soon }] : [show];
}

const samePlace = (a: Place, b: Place): boolean =>
  a.version === b.version && a.caret === b.caret && a.open === b.open;
const sameView = (a: View, b: View): boolean =>
  a.text === b.text && a.index === b.index && a.count === b.count && a.ghosts[0]?.at === b.ghosts[0]?.at;
const unique = (texts: readonly string[]): string[] => [...new Set(texts)];
const just = (state: State): Step => ({ state, effects: [] });

function cancelled(state: State): Step {
  if (!state.waiting) return just(state);
  return {
    state: { ...state, waiting: undefined },
    effects: [{ type: 'cancel', id: state.waiting.id }],
  };
}

function dropped(state: State): Step {
  return cancelled({ ...state, shown: undefined });
}

function requesting({ state, effects }: Step, occasion: Occasion, then: -1 | 0 | 1 = 0): Step {
  const { nextId: id, place } = state;
  return {
    state: { ...state, nextId: id + 1, waiting: { id, place, then } },
    effects: [...effects, { type: 'request', id, place, occasion }],
  };
}
