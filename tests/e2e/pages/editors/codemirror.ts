/** CodeMirror with what people put beside a completion: closed brackets, a popup, snippets, history, a language. */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  snippet,
  startCompletion,
  type Completion,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, keymap } from '@codemirror/view';
import * as adapter from 'midline/codemirror';
import { textOf, type Command, type CreateEditor } from './editor.js';

const COMMANDS: Record<Command, (view: EditorView) => boolean> = {
  trigger: adapter.triggerSuggestion,
  accept: adapter.acceptSuggestion,
  acceptWord: adapter.acceptWord,
  acceptLine: adapter.acceptLine,
  next: adapter.nextSuggestion,
  previous: adapter.previousSuggestion,
  dismiss: adapter.dismiss,
};

const DARK = EditorView.theme(
  { '&': { color: '#ddd', backgroundColor: '#1e1e1e' }, '.cm-cursor': { borderLeftColor: '#fff' } },
  { dark: true },
);

/** Offered by the popup after `pop`. */
const OPTIONS: Completion[] = [{ label: 'popcorn' }, { label: 'popular' }];

export const createCodeMirror: CreateEditor = async (host, completer, options) => {
  const { dark, native, wrap, readOnly, multiple, shared: _, ...rest } = options;
  const extensions: Extension[] = [
    adapter.midline({ completer, acceptDelayMs: 0, debounceMs: 40, path: '/src/a.js', ...rest }),
    history(),
    native ? [] : drawSelection(),
    closeBrackets(),
    autocompletion({
      override: [
        (context) => {
          const word = context.matchBefore(/pop\w*/);
          return word && { from: word.from, options: OPTIONS };
        },
      ],
    }),
    javascript(),
    wrap ? EditorView.lineWrapping : [],
    readOnly ? EditorState.readOnly.of(true) : [],
    multiple ? EditorState.allowMultipleSelections.of(true) : [],
    dark ? DARK : [],
    keymap.of([
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...historyKeymap,
      indentWithTab,
      ...defaultKeymap,
    ]),
  ];
  const view = new EditorView({ parent: host, state: EditorState.create({ extensions }) });
  Object.assign(globalThis, { view, codemirror: { EditorView, EditorState, snippet, startCompletion } });
  return {
    set(text) {
      const caret = Math.max(0, text.indexOf('|'));
      const changes = { from: 0, to: view.state.doc.length, insert: text.replace('|', '') };
      view.dispatch({ changes, selection: { anchor: caret } });
    },
    text() {
      const { doc, selection } = view.state;
      const { head } = selection.main;
      return `${doc.sliceString(0, head)}|${doc.sliceString(head)}`;
    },
    ghost: () =>
      [
        textOf(host, 'span.cm-ghostText').join('|'),
        ...textOf(host, 'div.cm-ghostText').join('\n').split('\n').filter(Boolean),
      ].join('\n'),
    focus: () => view.focus(),
    run: (command) => void COMMANDS[command](view),
    dispose: () => view.destroy(),
  };
};
