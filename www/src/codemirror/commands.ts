/** What a key can do with a suggestion. Each command gives false when it has nothing to do, so that the key goes on. */
import { hasNextSnippetField } from '@codemirror/autocomplete';
import { Text } from '@codemirror/state';
import type { Command, EditorView, KeyBinding } from '@codemirror/view';
import { step, view, type Amount, type Event } from '../editor/index.js';
import { accepting, placeIn, sessionEvent, sessionField } from './field.js';
import { sessionPlugin } from './plugin.js';

/** Accepts the suggestion. */
export const acceptSuggestion: Command = (editor) => accept(editor, 'all');
/** Accepts its next word; the rest stays. */
export const acceptWord: Command = (editor) => accept(editor, 'word');
/** Accepts its next line; the rest stays. */
export const acceptLine: Command = (editor) => accept(editor, 'line');
/** Takes the suggestion away, or the question for one. */
export const dismiss: Command = (editor) => {
  const machine = machineOf(editor);
  if (!machine || (!view(machine) && !machine.waiting)) return false;
  // Waiting is not seen: the key is then for somebody else as well.
  const wasSeen = view(machine) !== undefined;
  return tell(editor, { type: 'dismissed' }) && wasSeen;
};
/** Shows the next suggestion, after asking for more where that was not done yet. */
export const nextSuggestion: Command = (editor) => cycle(editor, 1);
export const previousSuggestion: Command = (editor) => cycle(editor, -1);
/** Asks for suggestions at the caret. */
export const triggerSuggestion: Command = (editor) => {
  const machine = machineOf(editor);
  if (!machine) return false;
  const place = placeIn(editor.state, machine.place.version);
  return place.open && !machine.composing && tell(editor, { type: 'triggered', place });
};

/** Tab as a person means it: in a snippet to the next field, in the indentation to indent. */
const acceptByTab: Command = (editor) =>
  !hasNextSnippetField(editor.state) && !isForIndentation(editor) && acceptSuggestion(editor);

/** The keys, which `midline` binds unless told otherwise. */
export const midlineKeymap: readonly KeyBinding[] = [
  { key: 'Tab', run: acceptByTab },
  { key: 'Escape', run: dismiss },
  { key: 'Mod-ArrowRight', run: acceptWord },
  { key: 'Mod-Alt-ArrowRight', run: acceptLine },
  { key: 'Alt-]', run: nextSuggestion },
  { key: 'Alt-[', run: previousSuggestion },
  { key: 'Alt-\\', run: triggerSuggestion },
];

function accept(editor: EditorView, amount: Amount): boolean {
  const machine = machineOf(editor);
  if (!machine || !editor.plugin(sessionPlugin)?.ripe) return false;
  const wanted = step(machine, { type: 'accepted', amount }).effects.find(({ type }) => type === 'insert');
  if (wanted?.type !== 'insert' || editor.state.readOnly) return false;
  const { edit, caret } = wanted;
  editor.dispatch({
    // As lines: the text of a string would be split by the line separator of the state.
    changes: { from: edit.from, to: edit.to, insert: Text.of(edit.insert.split('\n')) },
    selection: { anchor: caret },
    scrollIntoView: true,
    userEvent: 'input.complete',
    annotations: accepting.of(true),
  });
  return true;
}

function cycle(editor: EditorView, by: 1 | -1): boolean {
  const machine = machineOf(editor);
  return machine !== undefined && view(machine) !== undefined && tell(editor, { type: 'cycled', by });
}

function tell(editor: EditorView, event: Event): true {
  editor.dispatch({ effects: sessionEvent.of(event) });
  return true;
}

function machineOf(editor: EditorView) {
  return editor.state.field(sessionField, false)?.machine;
}

/** Whether the caret is in the white space at the start of a line and the suggestion begins with as much as Tab gives. */
function isForIndentation({ state }: EditorView): boolean {
  const machine = state.field(sessionField, false)?.machine;
  const shown = machine && view(machine);
  if (!shown) return false;
  const { head } = state.selection.main;
  const line = state.doc.lineAt(head);
  if (/\S/.test(line.text.slice(0, Math.min(head - line.from, 1000)))) return false;
  const [white = ''] = /^[ \t]*/.exec(shown.text) ?? [];
  return (
    [...white].reduce((columns, char) => columns + (char === '\t' ? state.tabSize : 1), 0) >= state.tabSize
  );
}
