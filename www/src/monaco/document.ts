/**
 * Between Monaco's document and ours: Monaco keeps the file's line ends and
 * addresses by line and column, a completer takes and gives text with `\n`.
 * No offset crosses from one to the other.
 */
import type * as Monaco from 'monaco-editor';
import { MAX_PREFIX_CHARS, MAX_SUFFIX_CHARS } from '../client/window.js';
import type { MonacoApi } from './index.js';

const LINE_BREAK = /\r\n?|\n/;
const LINE_BREAKS = new RegExp(LINE_BREAK, 'g');

/** The text around the place to complete. */
export interface Around {
  readonly prefix: string;
  readonly suffix: string;
  /** What the suggestion replaces, on one line: nothing, or what the suggest widget would replace. */
  readonly range: Monaco.IRange;
  /** Text the suggestion must start with: the item selected in the suggest widget. */
  readonly lead: string;
  /** Whether text follows on the same line. */
  readonly midLine: boolean;
}

/** One inline completion as Monaco takes it. */
export interface Insertion {
  readonly insertText: string;
  readonly range: Monaco.IRange;
}

/**
 * Reads the text before and after `position`, as much as a completer looks at.
 * While the suggest widget has an item selected, Monaco shows only text that
 * continues it: the completion is then asked for as if the item were accepted.
 * `undefined` if that item does not continue what is typed.
 */
export function documentAround(
  monaco: MonacoApi,
  model: Monaco.editor.ITextModel,
  position: Monaco.IPosition,
  selected: Monaco.languages.SelectedSuggestionInfo | undefined,
): Around | undefined {
  const { lineNumber, column } = position;
  const range = selected
    ? selected.range
    : { startLineNumber: lineNumber, startColumn: column, endLineNumber: lineNumber, endColumn: column };
  const lead = selected?.text ?? '';
  if (!lead.startsWith(model.getValueInRange(range))) return undefined;

  const start = { lineNumber: range.startLineNumber, column: range.startColumn };
  const end = { lineNumber: range.endLineNumber, column: range.endColumn };
  // Twice the limits: with CRLF Monaco counts two characters where we send one.
  const from = model.getPositionAt(Math.max(0, model.getOffsetAt(start) - 2 * MAX_PREFIX_CHARS));
  const to = model.getPositionAt(model.getOffsetAt(end) + 2 * MAX_SUFFIX_CHARS);
  const text = (a: Monaco.IPosition, b: Monaco.IPosition): string =>
    model.getValueInRange(
      {
        startLineNumber: a.lineNumber,
        startColumn: a.column,
        endLineNumber: b.lineNumber,
        endColumn: b.column,
      },
      monaco.editor.EndOfLinePreference.LF,
    );
  return {
    prefix: text(from, start) + lead,
    suffix: text(end, to),
    range,
    lead,
    midLine: end.column < model.getLineMaxColumn(end.lineNumber),
  };
}

/**
 * `text` as an insertion that Monaco accepts: text with a line break may only be
 * shown where the range ends at the line's end, so before other text only its
 * first line is offered. `undefined` if nothing is left of it.
 */
export function insertion(around: Around, text: string, eol: string): Insertion | undefined {
  const [firstLine = ''] = text.split(LINE_BREAK, 1);
  const offered = around.midLine ? firstLine : text;
  if (offered === '') return undefined;
  return { insertText: (around.lead + offered).replace(LINE_BREAKS, eol), range: around.range };
}
