/** Monaco, whichever version the page was given. */
import type * as Monaco from 'monaco-editor';
import { registerMidline } from 'midline/monaco';
import { plain, textOf, type Command, type CreateEditor } from './editor.js';

declare const require: {
  config(options: object): void;
  (modules: string[], ready: (monaco: typeof Monaco) => void): void;
};

const COMMANDS: Record<Command, string> = {
  trigger: 'editor.action.inlineSuggest.trigger',
  accept: 'editor.action.inlineSuggest.commit',
  acceptWord: 'editor.action.inlineSuggest.acceptNextWord',
  acceptLine: 'editor.action.inlineSuggest.acceptNextLine',
  next: 'editor.action.inlineSuggest.showNext',
  previous: 'editor.action.inlineSuggest.showPrevious',
  dismiss: 'editor.action.inlineSuggest.hide',
};

let count = 0;

const GHOST = '.ghost-text-decoration, .ghost-text-decoration-preview';

let loaded: Promise<typeof Monaco> | undefined;
function load(): Promise<typeof Monaco> {
  loaded ??= new Promise((resolve) => {
    require.config({ paths: { vs: new URL('./vs', location.href).href } });
    require(['vs/editor/editor.main'], (monaco) => resolve(monaco ?? (globalThis as never)['monaco']));
  });
  return loaded;
}

export const createMonaco: CreateEditor = async (host, completer, options) => {
  const { dark, wrap, readOnly, eol, shared, ...rest } = options;
  const monaco = await load();
  // One registration serves all editors of a page.
  const registration = shared
    ? { dispose: () => undefined }
    : registerMidline(monaco, completer, { debounceMs: 40, ...rest });
  const uri = monaco.Uri.parse(`file:///src/a.js?${++count}`);
  const model = monaco.editor.createModel('', 'javascript', uri);
  const editor = monaco.editor.create(host, {
    model,
    theme: dark ? 'vs-dark' : 'vs',
    fontSize: 14,
    inlineSuggest: { enabled: true },
    minimap: { enabled: false },
    quickSuggestions: false,
    suggestOnTriggerCharacters: false,
    wordBasedSuggestions: 'off',
    wordWrap: wrap ? 'on' : 'off',
    readOnly: readOnly === true,
  });
  // Monaco makes its parts when it is idle; a key before that would not be heard.
  editor.getContribution('editor.contrib.inlineCompletionsController');
  Object.assign(globalThis, { monaco, editor });
  return {
    set(text) {
      const caret = Math.max(0, text.indexOf('|'));
      model.setValue(text.replace('|', ''));
      if (eol === 'CRLF') model.setEOL(monaco.editor.EndOfLineSequence.CRLF);
      const before = text.slice(0, caret).split('\n');
      editor.setPosition({ lineNumber: before.length, column: (before.at(-1) ?? '').length + 1 });
    },
    text() {
      const position = editor.getPosition() ?? { lineNumber: 1, column: 1 };
      const value = model.getValue(monaco.editor.EndOfLinePreference.LF);
      const before = value
        .split('\n')
        .slice(0, position.lineNumber - 1)
        .join('\n').length;
      const caret = before + (position.lineNumber > 1 ? 1 : 0) + position.column - 1;
      return `${value.slice(0, caret)}|${value.slice(caret)}`;
    },
    ghost() {
      // Coloured ghost text is several elements; `|` stands where text of the document is between two.
      const parts = [...host.querySelectorAll(GHOST)];
      const inline = parts.map((part, i) => {
        const apart = i > 0 && !part.previousElementSibling?.matches(GHOST);
        return `${apart ? '|' : ''}${part.textContent ?? ''}`;
      });
      return [plain(inline.join('')), ...textOf(host, '.suggest-preview-text .view-line')].join('\n');
    },
    focus: () => editor.focus(),
    run: (command) => editor.trigger('test', COMMANDS[command], {}),
    dispose() {
      registration.dispose();
      editor.dispose();
      model.dispose();
    },
  };
};
