/** What both editors take as options, checked when they are registered: a wrong one must not wait for the first key. */
import { MidlineError, reportUncaught } from '../client/errors.js';
import { completionRequest } from '../client/request.js';
import type { CompleteOptions, Completer, CompletionResult } from '../client/types.js';

/** What happened to a request, for a status line. */
export type MidlineEvent =
  /** The completer was asked. */
  | { readonly type: 'thinking' }
  /** There is an answer; it is shown unless the document went on. `cached` if nothing had to be computed for it. */
  | { readonly type: 'suggested'; readonly result: CompletionResult; readonly cached: boolean }
  /** There is nothing to show, for a reason the engine or the editor's rules gave. */
  | { readonly type: 'nothing'; readonly reason: string; readonly result: CompletionResult }
  /** The document went on before the answer came. */
  | { readonly type: 'cancelled' }
  | { readonly type: 'failed'; readonly error: unknown };

/** Options of both adapters. Those of a completion are passed on to the completer. */
export interface EditorOptions extends Omit<CompleteOptions, 'path' | 'languageId' | 'signal'> {
  /**
   * Quiet time after a key before the completer is asked, in milliseconds. By default it follows the rhythm of
   * typing and the time answers take: 40 to 250 ms.
   */
  readonly debounceMs?: number;
  /** Suggestions to go through when the user asks for them, 5 by default; typing asks for one. */
  readonly maxSuggestions?: number;
  /**
   * Told of every request. Without it a failure is written to the console, once for each error code. What it
   * throws is reported and changes nothing.
   */
  readonly onEvent?: (event: MidlineEvent) => void;
}

/** The options in the form the runner takes. */
export interface Settings {
  readonly completer: Pick<Completer, 'complete'>;
  readonly complete: CompleteOptions;
  readonly debounceMs: number | undefined;
  readonly maxSuggestions: number;
  tell(event: MidlineEvent): void;
}

/** @throws MidlineError `request-invalid` for a completer that is none, or an option of the wrong type or range */
export function settingsFrom(completer: Pick<Completer, 'complete'>, options: EditorOptions = {}): Settings {
  if (typeof (completer as Partial<Completer> | null | undefined)?.complete !== 'function')
    throw invalid('completer', 'a completer, as createCompleter gives it', completer);
  if (typeof options !== 'object' || options === null) throw invalid('options', 'an object', options);
  const { debounceMs, maxSuggestions = 5, onEvent, ...complete } = options;
  if (debounceMs !== undefined && !(Number.isFinite(debounceMs) && debounceMs >= 0))
    throw invalid('debounceMs', 'a number of 0 or more', debounceMs);
  if (onEvent !== undefined && typeof onEvent !== 'function') throw invalid('onEvent', 'a function', onEvent);
  completionRequest('', '', { ...complete, maxSuggestions });
  return { completer, complete, debounceMs, maxSuggestions, tell: teller(onEvent) };
}

/** The error of an option, in the words of the client's own. */
export function invalid(name: string, expected: string, value: unknown): MidlineError {
  return new MidlineError({
    code: 'request-invalid',
    message: `${name} must be ${expected}`,
    expected,
    found: value === null ? 'null' : typeof value === 'number' ? `the number ${value}` : typeof value,
  });
}

/** Without a listener a failure would go unseen; once for each code is enough. */
function teller(onEvent: EditorOptions['onEvent']): (event: MidlineEvent) => void {
  const warned = new Set<unknown>();
  return (event) => {
    try {
      if (onEvent) return onEvent(event);
      if (event.type !== 'failed') return;
      const kind = (event.error as { code?: unknown } | null)?.code ?? String(event.error);
      if (warned.has(kind)) return;
      warned.add(kind);
      console.warn('Midline gives no suggestions:', event.error);
    } catch (error) {
      reportUncaught(error);
    }
  };
}
