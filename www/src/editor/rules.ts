/** Rules that hold in every editor for what may be suggested where. */

import { MAX_PREFIX_CHARS, PREFIX_STEP_CHARS } from '../client/window.js';

const WORD = /[\p{L}\p{N}\p{M}_]/u;
const LINE_BREAK = /\r\n?|\n/;
const LINE_BREAKS = new RegExp(LINE_BREAK, 'g');

/** Whether the text after the caret begins inside a word; a few characters of it are enough. */
export function startsWithWord(after: string): boolean {
  const first = after.codePointAt(0);
  return first !== undefined && WORD.test(String.fromCodePoint(first));
}

/**
 * The texts as they can be shown: before other text on the line only first lines (a line break there would tear the
 * line apart), with the line ends of the document, none empty and none twice.
 */
export function showable(texts: readonly string[], midLine: boolean, eol: string): string[] {
  const fitting = texts.map((text) => {
    const fit = midLine ? (text.split(LINE_BREAK, 1)[0] ?? '') : text;
    return fit.replace(LINE_BREAKS, eol);
  });
  return [...new Set(fitting)].filter((text) => text !== '');
}

/**
 * Where to begin reading the text before `caret`: far enough for what a completer looks at, and at the same place
 * while a person types, so that the text is the same but for what was typed.
 */
export function readingStart(caret: number): number {
  const steps = Math.floor((caret - 2 * MAX_PREFIX_CHARS) / PREFIX_STEP_CHARS);
  return Math.max(0, steps * PREFIX_STEP_CHARS);
}
