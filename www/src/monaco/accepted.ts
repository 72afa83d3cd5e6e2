/**
 * What Monaco is to do after an accept, as a command that each item carries.
 *
 * It puts the caret where it belongs: Monaco (0.52 to 0.57) counts the accepted
 * text in characters where its columns are UTF-16 units, so that behind an emoji
 * the caret ends up too far left. And it has the next suggestion asked for:
 * Monaco does that after Tab, but not when the last word is accepted by itself.
 */
import type * as Monaco from 'monaco-editor';
import type { Insertion } from './document.js';
import type { MonacoApi } from './index.js';

/** Registrations on a page each have a command of their own. */
let registrations = 0;

export class AcceptCommand {
  readonly #id = `midline.accepted.${++registrations}`;
  readonly #registration: Monaco.IDisposable;

  constructor(
    private readonly monaco: MonacoApi,
    accepted: (model: Monaco.editor.ITextModel) => void,
  ) {
    this.#registration = monaco.editor.registerCommand(this.#id, (_accessor, model, text) => {
      this.#correct(model as Monaco.editor.ITextModel, String(text));
      queueMicrotask(() => accepted(model as Monaco.editor.ITextModel)); // Monaco is still at it
    });
  }

  /** The item, with the command. */
  with<T extends Insertion>(
    item: T,
    model: Monaco.editor.ITextModel,
  ): T & { readonly command: Monaco.languages.Command } {
    const lastLine = item.insertText.slice(item.insertText.lastIndexOf('\n') + 1);
    return { ...item, command: { id: this.#id, title: '', arguments: [model, lastLine] } };
  }

  dispose(): void {
    this.#registration.dispose();
  }

  /** After a part of a suggestion was inserted up to `end`, an offset in the document. */
  partly(model: Monaco.editor.ITextModel, end: number): void {
    const position = model.getPositionAt(end);
    for (const editor of this.monaco.editor.getEditors()) {
      const caret = editor.getModel() === model && editor.hasTextFocus() && editor.getPosition();
      if (!caret || editor.getSelections()?.length !== 1) continue;
      const isShort = caret.lineNumber === position.lineNumber && caret.column < position.column;
      // Its own source: Monaco takes the suggestion away when a program moves the caret.
      if (isShort) editor.setPosition(position, 'inlineCompletionPartialAccept');
    }
  }

  /** Moves the caret of the editor that accepted `text` behind it; nothing happens where it is there. */
  #correct(model: Monaco.editor.ITextModel, text: string): void {
    const short = text.length - [...text].length;
    if (short === 0) return;
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
