/** How much of a suggestion one "accept word" or "accept line" takes: the steps Monaco takes, so that both editors agree. */
import type { Amount } from './events.js';

/** A number with a fraction, or anything but white space and the signs of ASCII; letters of any script, `_`, `$`, emoji. */
const WORD = /-?\d*\.\d\w*|[^`~!@#%^&*()\-=+[{\]}\\|;:'",.<>/?\s]+/u;
const SPACE = /\s+/u;

/** The start of `text` that is accepted. Never empty unless `text` is, never half of a character. */
export function accepted(text: string, amount: Amount): string {
  switch (amount) {
    case 'all':
      return text;
    case 'line': {
      const end = text.indexOf('\n');
      return end < 0 ? text : text.slice(0, end + 1);
    }
    case 'word':
      return text.slice(0, characterEnd(text, wordEnd(text)));
  }
}

/** A word at the start; otherwise what is before the next word, but white space only up to its end. */
function wordEnd(text: string): number {
  const word = WORD.exec(text);
  const toWord = !word ? text.length : word.index === 0 ? word[0].length : word.index;
  const space = SPACE.exec(text);
  const toSpaceEnd = space ? space.index + space[0].length : text.length;
  return Math.min(toWord, toSpaceEnd);
}

/** Characters that are looked at for the end of one that a person sees: more than any has. */
const NEAR = 64;

/** `end`, or the end of the character it would cut: a sign may have a mark or a keycap over it. */
function characterEnd(text: string, end: number): number {
  const from = Math.max(0, end - NEAR);
  const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(
    text.slice(from, end + NEAR),
  );
  const cut = end < text.length && characters.containing(end - from);
  return cut && cut.index < end - from ? from + cut.index + cut.segment.length : end;
}
