/**
 * The session inside the editor's state. The machine takes its step in the very
 * transaction that typed the key, so that there is no moment at which document and
 * suggestion disagree. What it wants done is left for the plugin.
 */
import { completionStatus } from '@codemirror/autocomplete';
import {
  Annotation,
  StateEffect,
  StateField,
  type ChangeSet,
  type EditorState,
  type Transaction,
} from '@codemirror/state';
import { EditorView, type DecorationSet } from '@codemirror/view';
import {
  initial,
  startsWithWord,
  step,
  view,
  type Cause,
  type Edit,
  type Effect,
  type Event,
  type Place,
  type State,
} from '../editor/index.js';
import { ghostDecorations } from './ghost.js';

/** An event for the session that no edit tells of. */
export const sessionEvent = StateEffect.define<Event>();
/** Marks the transaction that accepts. */
export const accepting = Annotation.define<boolean>();

export interface SessionValue {
  readonly machine: State;
  /** What the last transaction led to. */
  readonly effects: readonly Effect[];
  readonly decorations: DecorationSet;
}

export const sessionField = StateField.define<SessionValue>({
  create: (state) => valueOf(initial(placeIn(state, 1)), [], state),
  update(value, transaction) {
    const events = eventsOf(value.machine, transaction);
    if (events.length === 0) return value.effects.length > 0 ? { ...value, effects: [] } : value;
    let { machine } = value;
    const effects: Effect[] = [];
    for (const event of events) {
      const next = step(machine, event);
      machine = next.state;
      effects.push(...next.effects);
    }
    return valueOf(machine, effects, transaction.state);
  },
  provide: (field) => EditorView.decorations.from(field, ({ decorations }) => decorations),
});

function valueOf(machine: State, effects: readonly Effect[], { doc }: EditorState): SessionValue {
  return { machine, effects, decorations: ghostDecorations(view(machine), machine.place.caret, doc) };
}

/** Where the user is in `state`, whose document has the number `version`. */
export function placeIn(state: EditorState, version: number): Place {
  const { main, ranges } = state.selection;
  return {
    version,
    caret: main.head,
    open: ranges.length === 1 && main.empty && !state.readOnly,
    beforeWord: startsWithWord(state.doc.sliceString(main.head, main.head + 2)),
  };
}

function eventsOf(machine: State, transaction: Transaction): Event[] {
  const { state, startState, docChanged, changes } = transaction;
  const events: Event[] = [];
  const place = placeIn(state, machine.place.version + (docChanged ? 1 : 0));
  const popup = completionStatus(state) === 'active';
  if (popup !== machine.popup) events.push({ type: 'popup', open: popup });
  if (docChanged && isReplacement(changes, startState)) events.push({ type: 'replaced', place });
  else if (docChanged)
    events.push({ type: 'edited', edits: editsOf(changes), cause: causeOf(transaction), place });
  else if (transaction.selection || transaction.reconfigured) events.push({ type: 'moved', place });
  for (const effect of transaction.effects) {
    if (!effect.is(sessionEvent)) continue;
    const { value } = effect;
    // Asked for before the transaction, meant for the place after it.
    events.push(value.type === 'triggered' || value.type === 'composition' ? { ...value, place } : value);
  }
  return events;
}

/** Whether the whole text went and other text came. */
function isReplacement(changes: ChangeSet, before: EditorState): boolean {
  const { length } = before.doc;
  const [edit, ...more] = editsOf(changes);
  return length > 1 && more.length === 0 && edit?.from === 0 && edit.to === length && edit.insert !== '';
}

/** The changes from the end to the start, so that each is in the coordinates the one before it left. */
function editsOf(changes: ChangeSet): Edit[] {
  const edits: Edit[] = [];
  changes.iterChanges((from, to, _fromB, _toB, insert) => {
    edits.unshift({ from, to, insert: insert.toString() });
  });
  return edits;
}

function causeOf(transaction: Transaction): Cause {
  if (transaction.annotation(accepting)) return 'accepted';
  if (transaction.isUserEvent('input') && !transaction.isUserEvent('input.drop')) return 'typed';
  return transaction.isUserEvent('delete') ? 'deleted' : 'other';
}
