/** How much of a suggestion one "accept word" or "accept line" takes: the steps Monaco takes, so that both editors agree. */
import type { Amount } from './events.js';

/** A number with a fraction, or letters, digits, `_` and `$`. */
const WORD = /-?\d*\.\d[\p{L}\p{N}_]*|[\p{L}\p{N}\p{M}_$]+/u;
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
      return text.slice(0, wordEnd(text));
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
