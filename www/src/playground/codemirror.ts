/** CodeMirror as an editor of the page: one state a language, colours from the page's style sheet. */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { python } from '@codemirror/lang-python';
import { rust } from '@codemirror/lang-rust';
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';
import { midline, triggerSuggestion } from 'midline/codemirror';
import type { PlaygroundEditor } from './editors.js';
import { SAMPLES } from './samples/index.js';

const LANGUAGES: Record<string, () => Extension> = {
  python: () => [python(), indentUnit.of('    ')],
  javascript: () => javascript(),
  typescript: () => javascript({ typescript: true }),
  rust: () => [rust(), indentUnit.of('    ')],
};

/** A dark or a light base; what is drawn comes from the style sheet. */
const scheme = (dark: boolean): Extension => EditorView.theme({}, { dark });

export interface CodeMirrorEditor extends PlaygroundEditor {
  readonly view: EditorView;
}

export function createCodeMirror(host: HTMLElement): CodeMirrorEditor {
  const [adapter, base] = [new Compartment(), new Compartment()];
  const dark = matchMedia('(prefers-color-scheme: dark)');
  let completing: Extension = [];
  const extensions = (languageId: string): Extension[] => [
    adapter.of(completing),
    base.of(scheme(dark.matches)),
    lineNumbers(),
    highlightActiveLineGutter(),
    highlightActiveLine(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    autocompletion({ activateOnTyping: false }),
    syntaxHighlighting(classHighlighter),
    EditorView.contentAttributes.of({
      'aria-label': 'Code editor. Tab accepts a suggestion. Escape, then Tab leaves the editor.',
    }),
    LANGUAGES[languageId]?.() ?? [],
    keymap.of([
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...historyKeymap,
      indentWithTab,
      ...defaultKeymap,
    ]),
  ];
  const states = new Map(
    SAMPLES.map(({ id, text }) => [
      id,
      EditorState.create({ doc: text, selection: { anchor: text.length }, extensions: extensions(id) }),
    ]),
  );
  const view = new EditorView({ parent: host });
  let shown: string | undefined;
  const current = (): void => {
    const effects = [adapter.reconfigure(completing), base.reconfigure(scheme(dark.matches))];
    view.dispatch({ effects });
  };
  dark.addEventListener('change', current);

  return {
    view,
    show(languageId) {
      if (shown === languageId) return;
      if (shown !== undefined) states.set(shown, view.state);
      const next = states.get(languageId);
      if (!next) return;
      shown = languageId;
      view.setState(next);
      current(); // the state may be from before another model, or another scheme
      view.dispatch({ effects: EditorView.scrollIntoView(view.state.selection.main) });
    },
    suggest: () => void triggerSuggestion(view),
    focus: () => view.focus(),
    attach(completer, options) {
      completing = midline({ completer, ...options, path: () => pathOf(shown) });
      current();
      return {
        dispose() {
          completing = [];
          current();
        },
      };
    },
    read: () => ({ text: view.state.doc.toString(), caret: view.state.selection.main.head }),
    write({ text, caret }) {
      if (view.state.doc.toString() === text) return;
      const changes = { from: 0, to: view.state.doc.length, insert: text };
      view.dispatch({ changes, selection: { anchor: caret }, scrollIntoView: true });
    },
  };
}

function pathOf(languageId: string | undefined): string | undefined {
  return SAMPLES.find(({ id }) => id === languageId)?.path;
}
