/**
 * Answers of one editor, by the exact text before and after the caret. An answer
 * also serves the places further on in it: behind its text, typed as suggested,
 * the rest of it is the answer. Nothing else matches.
 */
import type { CompletionResult, Suggestion } from '../client/types.js';

/** The document around a caret, as a completer is given it. */
export interface Around {
  readonly prefix: string;
  readonly suffix: string;
  readonly path?: string;
  readonly languageId?: string;
}

interface Entry extends Around {
  readonly result: CompletionResult;
  /** Whether several suggestions were asked for. */
  readonly many: boolean;
}

/** Answers kept by default. Each holds its context, at most some 80,000 characters. */
export const CACHE_ENTRIES = 32;

export class SuggestionCache {
  /** Least recently used first. */
  #entries: Entry[] = [];

  constructor(private readonly limit = CACHE_ENTRIES) {}

  get size(): number {
    return this.#entries.length;
  }

  /** Keeps an answer; the one not used for longest goes when there are too many. */
  add(around: Around, result: CompletionResult, many: boolean): void {
    this.#entries = this.#entries.filter((entry) => !isExact(entry, around));
    this.#entries.push({ ...around, result, many });
    if (this.#entries.length > this.limit) this.#entries.shift();
  }

  /** The answer for this place, or `undefined` if it must be asked for. With `many` only an answer of several will do. */
  find(around: Around, many: boolean): CompletionResult | undefined {
    for (let i = this.#entries.length - 1; i >= 0; i--) {
      const entry = this.#entries[i] as Entry;
      const suggestions = many && !entry.many ? undefined : suggestionsAt(entry, around);
      if (!suggestions) continue;
      this.#entries.splice(i, 1);
      this.#entries.push(entry);
      return { ...entry.result, suggestions };
    }
    return undefined;
  }

  /** Takes out the answers that propose `text` here: the user has seen it and said no. */
  forget(around: Around, text: string): void {
    this.#entries = this.#entries.filter(
      (entry) => !suggestionsAt(entry, around)?.some((suggestion) => suggestion.text === text),
    );
  }

  clear(): void {
    this.#entries = [];
  }
}

const isSameFile = (a: Around, b: Around): boolean => a.path === b.path && a.languageId === b.languageId;
const isExact = (a: Around, b: Around): boolean =>
  isSameFile(a, b) && a.suffix === b.suffix && a.prefix === b.prefix;

/** What `entry` says at `around`: its suggestions, or what is left of them after the part that is typed already. */
function suggestionsAt(entry: Entry, around: Around): readonly Suggestion[] | undefined {
  const { suggestions } = entry.result;
  const more = around.prefix.length - entry.prefix.length;
  if (more < 0 || (more > 0 && !suggestions.some(({ text }) => text.length > more))) return undefined;
  if (!isSameFile(entry, around) || entry.suffix !== around.suffix) return undefined;
  if (more === 0) return entry.prefix === around.prefix ? suggestions : undefined;
  if (!around.prefix.startsWith(entry.prefix)) return undefined;
  const typed = around.prefix.slice(entry.prefix.length);
  const left = suggestions
    .filter(({ text }) => text.length > more && text.startsWith(typed))
    .map((suggestion) => ({ ...suggestion, text: suggestion.text.slice(more) }));
  return left.length > 0 ? left : undefined;
}
