/**
 * Between Monaco's document and ours: Monaco keeps the file's line ends and
 * addresses by line and column, a completer takes and gives text with `\n`.
 * Offsets are Monaco's, and never leave this side.
 */
import type * as Monaco from 'monaco-editor';
import { MAX_SUFFIX_CHARS } from '../client/window.js';
import { readingStart, startsWithWord, tailPlaces, type Place, type Reading } from '../editor/index.js';
import type { MonacoApi } from './index.js';

/** One inline completion as Monaco takes it. */
export interface Insertion {
  readonly insertText: string;
  readonly range: Monaco.IRange;
}

/** Text that a suggestion must begin with, and what it replaces: the item selected in the suggest widget. */
export interface Lead {
  readonly text: string;
  readonly range: Monaco.IRange;
}

export function placeAt(model: Monaco.editor.ITextModel, position: Monaco.IPosition): Place {
  const { lineNumber, column } = position;
  const after = { startLineNumber: lineNumber, startColumn: column, endLineNumber: lineNumber };
  return {
    version: model.getVersionId(),
    caret: model.getOffsetAt(position),
    open: true, // Monaco asks only where it would show something
    beforeWord: startsWithWord(model.getValueInRange({ ...after, endColumn: column + 2 })),
  };
}

/**
 * Reads the text before and after `position`, as much as a completer looks at.
 * While the suggest widget has an item selected, Monaco shows only text that
 * continues it: the completion is then asked for as if the item were accepted.
 */
export function readingAt(
  monaco: MonacoApi,
  model: Monaco.editor.ITextModel,
  position: Monaco.IPosition,
  lead?: Lead,
): Reading {
  const start = lead ? { lineNumber: lead.range.startLineNumber, column: lead.range.startColumn } : position;
  const end = lead ? { lineNumber: lead.range.endLineNumber, column: lead.range.endColumn } : position;
  // Twice the limit: with CRLF Monaco counts two characters where we send one.
  const from = model.getPositionAt(readingStart(model.getOffsetAt(start)));
  const to = model.getPositionAt(model.getOffsetAt(end) + 2 * MAX_SUFFIX_CHARS);
  const text = (a: Monaco.IPosition, b: Monaco.IPosition): string =>
    model.getValueInRange(rangeOf(a, b), monaco.editor.EndOfLinePreference.LF);
  return {
    prefix: text(from, start) + (lead?.text ?? ''),
    suffix: text(end, to),
    path: model.uri.path,
    languageId: model.getLanguageId(),
    midLine: end.column < model.getLineMaxColumn(end.lineNumber),
    eol: model.getEOL(),
  };
}

/** Whether the item of the suggest widget continues what stands in the document. */
export function continues(model: Monaco.editor.ITextModel, lead: Lead): boolean {
  return lead.text.startsWith(model.getValueInRange(lead.range));
}

/** What lies between the anchor of a suggestion and the caret, and behind it. */
export interface Offered {
  readonly anchor: number;
  readonly typed: string;
  readonly tail: string;
}

/**
 * `text`, a suggestion from the anchor on, as an insertion that Monaco shows. Its range covers what is typed of it
 * and the closing brackets it contains, and is on one line. Text with a line break needs a range that ends with the
 * line; elsewhere only its first line is offered. `undefined` if nothing is left.
 */
export function insertion(
  model: Monaco.editor.ITextModel,
  { anchor, typed, tail }: Offered,
  text: string,
): Insertion | undefined {
  const caret = anchor + typed.length;
  const rest = text.slice(typed.length);
  const to = model.getPositionAt(caret + tailPlaces(rest, tail).length);
  // Behind a line break that is already in the document the range would be on two lines.
  // Of what is typed Monaco counts the characters, not the units: with pairs in it the range begins at the caret.
  const hasPairs = [...typed].length < typed.length;
  const lineStart = hasPairs ? typed.length : typed.lastIndexOf('\n') + 1;
  const from = model.getPositionAt(anchor + lineStart);
  const offered = text.slice(lineStart);
  const isAtLineEnd = to.column >= model.getLineMaxColumn(to.lineNumber);
  const insertText = isAtLineEnd ? offered : (offered.split(/\r\n?|\n/, 1)[0] ?? '');
  return insertText.length > typed.length - lineStart ? { insertText, range: rangeOf(from, to) } : undefined;
}

function rangeOf(a: Monaco.IPosition, b: Monaco.IPosition): Monaco.IRange {
  return {
    startLineNumber: a.lineNumber,
    startColumn: a.column,
    endLineNumber: b.lineNumber,
    endColumn: b.column,
  };
}
