/** Monaco as an editor of the page: one document a language, colours that follow the system. */
import { registerMidline } from 'midline/monaco';
import type * as MonacoNamespace from 'monaco-editor';
import type { PlaygroundEditor } from './editors.js';
import type { Monaco } from './monaco.js';
import { SAMPLES } from './samples/index.js';

const THEMES = {
  light: {
    base: 'vs',
    inherit: true,
    rules: [],
    colors: {
      'editor.background': '#fcfbf9',
      'editor.lineHighlightBackground': '#f4f2ee',
      'editor.lineHighlightBorder': '#00000000',
      'editorLineNumber.foreground': '#b6b0a5',
      'editorLineNumber.activeForeground': '#6b665d',
      'editorGhostText.foreground': '#7d776d',
    },
  },
  dark: {
    base: 'vs-dark',
    inherit: true,
    rules: [],
    colors: {
      'editor.background': '#17181b',
      'editor.lineHighlightBackground': '#1e2024',
      'editor.lineHighlightBorder': '#00000000',
      'editorLineNumber.foreground': '#555860',
      'editorLineNumber.activeForeground': '#9a978f',
      'editorGhostText.foreground': '#8b8880',
    },
  },
} as const satisfies Record<string, MonacoNamespace.editor.IStandaloneThemeData>;

export interface MonacoEditor extends PlaygroundEditor {
  readonly editor: MonacoNamespace.editor.IStandaloneCodeEditor;
}

export function createEditor(monaco: Monaco, host: HTMLElement): MonacoEditor {
  monaco.editor.defineTheme('light', { ...THEMES.light, rules: [] });
  monaco.editor.defineTheme('dark', { ...THEMES.dark, rules: [] });
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const applyTheme = (): void => monaco.editor.setTheme(dark.matches ? 'dark' : 'light');
  dark.addEventListener('change', applyTheme);
  applyTheme();

  const documents = new Map(
    SAMPLES.map(({ id, text, path }) => [
      id,
      { model: monaco.editor.createModel(text, id, monaco.Uri.file(path)), view: atEnd(text) },
    ]),
  );
  const editor = monaco.editor.create(host, {
    model: null,
    ariaLabel: 'Code editor. Tab accepts a suggestion. Control M lets Tab leave the editor.',
    automaticLayout: true,
    fontSize: 14,
    hideCursorInOverviewRuler: true,
    inlineSuggest: { enabled: true },
    lineNumbersMinChars: 3,
    links: false,
    minimap: { enabled: false },
    occurrencesHighlight: 'off',
    overviewRulerBorder: false,
    padding: { top: 12, bottom: 12 },
    quickSuggestions: false,
    scrollBeyondLastLine: false,
    scrollbar: { verticalScrollbarSize: 10, horizontalScrollbarSize: 10 },
    unicodeHighlight: { ambiguousCharacters: false, invisibleCharacters: false },
    wordBasedSuggestions: 'off',
  });

  // The lines of a suggestion that follow its first are a view zone, and Monaco leaves a click there to the
  // browser, which takes the focus from the editor.
  host.addEventListener('mousedown', (event) => {
    if (event.defaultPrevented || !(event.target as Element).closest('.view-lines, .view-zones')) return;
    event.preventDefault();
    editor.focus();
  });

  let shown: string | undefined;
  return {
    editor,
    show(languageId) {
      const previous = shown && documents.get(shown);
      const position = editor.getPosition();
      if (previous && position) previous.view = position;
      const next = documents.get(languageId);
      if (!next) return;
      shown = languageId;
      editor.setModel(next.model);
      editor.setPosition(next.view);
      editor.revealPosition(next.view);
    },
    suggest: () => editor.trigger('playground', 'editor.action.inlineSuggest.trigger', {}),
    focus: () => editor.focus(),
    attach: (completer, options) => registerMidline(monaco, completer, options),
    read() {
      const model = editor.getModel();
      const position = editor.getPosition();
      if (!model || !position) return { text: '', caret: 0 };
      const LF = monaco.editor.EndOfLinePreference.LF;
      const before = monaco.Range.fromPositions({ lineNumber: 1, column: 1 }, position);
      return { text: model.getValue(LF), caret: model.getValueInRange(before, LF).length };
    },
    write({ text, caret }) {
      const model = editor.getModel();
      if (!model || model.getValue(monaco.editor.EndOfLinePreference.LF) === text) return;
      model.setValue(text);
      editor.setPosition(atEnd(text.slice(0, caret)));
    },
  };
}

function atEnd(text: string): MonacoNamespace.IPosition {
  const lines = text.split('\n');
  return { lineNumber: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}
