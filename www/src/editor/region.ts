/**
 * The part of the document that a suggestion accounts for: from the place it was
 * made for up to the caret lies what the user has typed of it, behind the caret
 * what the editor closed by itself (brackets, quotes). Everything outside must
 * stay as it was, or the suggestion is not about this document any more.
 */
import type { Edit } from './events.js';

export interface Region {
  /** Offset of its start, where the suggestion begins. */
  readonly anchor: number;
  /** Entered since, before the caret. */
  readonly typed: string;
  /** Closed by the editor since, behind the caret. */
  readonly tail: string;
}

const CLOSERS = /^[)\]}>"'`]*$/;
const QUOTES = '"\'`';
const CLOSING: Record<string, string> = { ')': '(', ']': '[', '}': '{', '>': '<' };

/**
 * The region after `edits`, with the caret at `caret`; `undefined` if something outside of it was
 * touched, or the caret left it. With `elsewhere`, edits that do not touch it only move it.
 */
export function applyEdits(
  region: Region,
  edits: readonly Edit[],
  caret: number,
  elsewhere: boolean,
): Region | undefined {
  let { anchor } = region;
  let text = region.typed + region.tail;
  for (const { from, to, insert } of edits) {
    if (from >= anchor && to <= anchor + text.length) {
      text = text.slice(0, from - anchor) + insert + text.slice(to - anchor);
    } else if (elsewhere && to < anchor) {
      anchor += insert.length - (to - from);
    } else if (!(elsewhere && from > anchor + text.length)) {
      return undefined;
    }
  }
  const typedLength = caret - anchor;
  if (typedLength < 0 || typedLength > text.length) return undefined;
  const tail = text.slice(typedLength);
  return CLOSERS.test(tail) ? { anchor, typed: text.slice(0, typedLength), tail } : undefined;
}

/** Where the characters of `tail` are in `rest`: each closes something that is not opened in `rest` before it. */
export function tailPlaces(rest: string, tail: string): number[] {
  const places: number[] = [];
  for (const closer of tail) {
    const place = closingPlace(rest, closer, (places.at(-1) ?? -1) + 1);
    if (place < 0) break;
    places.push(place);
  }
  return places;
}

function closingPlace(text: string, closer: string, from: number): number {
  const opener = CLOSING[closer];
  for (let i = from, depth = 0; i < text.length; i++) {
    if (text[i] === '\\' && QUOTES.includes(closer)) i++;
    else if (text[i] === closer && depth-- === 0) return i;
    else if (opener !== undefined && text[i] === opener) depth++;
  }
  return -1;
}
