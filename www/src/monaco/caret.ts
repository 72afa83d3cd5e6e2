/**
 * Where the caret belongs after an accept. Monaco (0.52 to 0.57) counts the
 * accepted text in characters where its columns are UTF-16 units, so that behind
 * an emoji the caret ends up too far left. Items with such characters carry a
 * command, which Monaco runs after the accept.
 */
import type * as Monaco from 'monaco-editor';
import type { Insertion } from './document.js';
import type { MonacoApi } from './index.js';

/** Registrations on a page each have a command of their own. */
let registrations = 0;

export class CaretCommand {
  readonly #id = `midline.caret.${++registrations}`;
  readonly #registration: Monaco.IDisposable;

  constructor(private readonly monaco: MonacoApi) {
    this.#registration = monaco.editor.registerCommand(this.#id, (_accessor, model, text) =>
      this.#correct(model as Monaco.editor.ITextModel, String(text)),
    );
  }

  /** The item, with the command if Monaco would miscount it. */
  with<T extends Insertion>(
    item: T,
    model: Monaco.editor.ITextModel,
  ): T & { readonly command?: Monaco.languages.Command } {
    const lastLine = item.insertText.slice(item.insertText.lastIndexOf('\n') + 1);
    if (lastLine.length === [...lastLine].length) return item;
    return { ...item, command: { id: this.#id, title: '', arguments: [model, lastLine] } };
  }

  dispose(): void {
    this.#registration.dispose();
  }

  /** Moves the caret of the editor that accepted `text` behind it; nothing happens where it is there. */
  #correct(model: Monaco.editor.ITextModel, text: string): void {
    const short = text.length - [...text].length;
    for (const editor of this.monaco.editor.getEditors()) {
      const position = editor.getModel() === model && editor.hasTextFocus() && editor.getPosition();
      if (!position || editor.getSelections()?.length !== 1) continue;
      const { lineNumber, column } = position;
      // A caret that would be inside a pair was put before it: up to one more.
      for (const end of [column + short, column + short + 1]) {
        const startColumn = end - text.length;
        const line = { startLineNumber: lineNumber, endLineNumber: lineNumber };
        if (startColumn < 1 || model.getValueInRange({ ...line, startColumn, endColumn: end }) !== text)
          continue;
        editor.setPosition({ lineNumber, column: end });
        break;
      }
    }
  }
}
