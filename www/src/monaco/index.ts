/**
 * Ghost text in Monaco: `registerMidline(monaco, completer)`. The editor is an
 * argument and its package is imported for types only, so an application keeps
 * its own copy and its own way of loading it.
 */
import type * as Monaco from 'monaco-editor';
import { errorFields, reportUncaught } from '../client/errors.js';
import type { Completer, CompletionResult, PromptFormat } from '../client/types.js';
import { documentAround, insertion, type Insertion } from './document.js';

/** The part of the `monaco` namespace that is used. */
export type MonacoApi = Pick<typeof Monaco, 'editor' | 'languages'>;

/** What happened to a request, for a status line. */
export type MidlineEvent =
  /** The completer was asked. */
  | { readonly type: 'thinking' }
  /** There is an answer; Monaco shows it unless the document went on. */
  | { readonly type: 'suggested'; readonly result: CompletionResult }
  /** There is nothing to show, for a reason the engine or the editor's rules gave. */
  | { readonly type: 'nothing'; readonly reason: string; readonly result: CompletionResult }
  /** The document went on before the answer came. */
  | { readonly type: 'cancelled' }
  | { readonly type: 'failed'; readonly error: unknown };

export interface RegisterOptions {
  /** Languages to complete in; all by default. */
  readonly selector?: Monaco.languages.LanguageSelector;
  /** Quiet time after a keystroke before the completer is asked. */
  readonly debounceMs?: number;
  readonly format?: 'auto' | PromptFormat;
  readonly maxNewTokens?: number;
  readonly beamWidth?: number;
  /** Suggestions to cycle through when the user asks for them (by key); typing asks for one. */
  readonly maxSuggestions?: number;
  readonly timeBudgetMs?: number;
  /**
   * Told of every request. Without it a failure is written to the console, once for each error code. What it
   * throws is reported and changes nothing.
   */
  readonly onEvent?: (event: MidlineEvent) => void;
}

/**
 * Registers `completer` for inline suggestions, until the result is disposed. The completer stays the caller's.
 * The provider answers Monaco in every case: when it is cancelled or fails, with nothing.
 */
export function registerMidline(
  monaco: MonacoApi,
  completer: Completer,
  options: RegisterOptions = {},
): Monaco.IDisposable {
  const { selector = '*', debounceMs = 40, maxSuggestions = 5, onEvent, ...rest } = options;
  const warned = new Set<string>();
  const tell = (event: MidlineEvent): void => {
    try {
      if (onEvent) onEvent(event);
      else if (event.type === 'failed') warnOnce(event.error, warned);
    } catch (error) {
      reportUncaught(error);
    }
  };
  const { format, maxNewTokens, beamWidth, timeBudgetMs } = rest;
  const fixed = {
    ...(format !== undefined && { format }),
    ...(maxNewTokens !== undefined && { maxNewTokens }),
    ...(beamWidth !== undefined && { beamWidth }),
    ...(timeBudgetMs !== undefined && { timeBudgetMs }),
  };

  async function provide(
    model: Monaco.editor.ITextModel,
    position: Monaco.Position,
    context: Monaco.languages.InlineCompletionContext,
    token: Monaco.CancellationToken,
  ): Promise<Monaco.languages.InlineCompletions> {
    if (token.isCancellationRequested || model.isDisposed()) return { items: [] };
    const around = documentAround(monaco, model, position, context.selectedSuggestionInfo);
    if (!around) return { items: [] };
    const explicit = context.triggerKind === monaco.languages.InlineCompletionTriggerKind.Explicit;
    const abort = new AbortController();
    const subscription = token.onCancellationRequested(() => abort.abort());
    tell({ type: 'thinking' });
    try {
      const result = await completer.complete(around.prefix, around.suffix, {
        ...fixed,
        path: model.uri.path,
        languageId: model.getLanguageId(),
        maxSuggestions: explicit ? maxSuggestions : 1,
        signal: abort.signal,
      });
      if (model.isDisposed()) return { items: [] };
      const items = result.suggestions
        .map((suggestion) => insertion(around, suggestion.text, model.getEOL()))
        .filter((item): item is Insertion => item !== undefined);
      if (items.length > 0) tell({ type: 'suggested', result });
      else tell({ type: 'nothing', reason: reasonFor(result), result });
      return { items };
    } catch (error) {
      const aborted = error instanceof DOMException && error.name === 'AbortError';
      tell(aborted ? { type: 'cancelled' } : { type: 'failed', error });
      return { items: [] };
    } finally {
      subscription.dispose();
    }
  }

  const nothingToFree = (): void => undefined;
  const provider = {
    displayName: 'Midline',
    groupId: 'midline',
    debounceDelayMs: debounceMs,
    provideInlineCompletions: provide,
    disposeInlineCompletions: nothingToFree,
    freeInlineCompletions: nothingToFree, // the name before 0.53; without it older versions throw
  };
  return monaco.languages.registerInlineCompletionsProvider(selector, provider);
}

/** Without a listener a failure would go unseen; once for each code is enough. */
function warnOnce(error: unknown, warned: Set<string>): void {
  const kind = String(errorFields(error)?.code ?? error);
  if (warned.has(kind)) return;
  warned.add(kind);
  console.warn('Midline gives no suggestions:', error);
}

function reasonFor({ suggestions, dropped, stats }: CompletionResult): string {
  if (suggestions.length > 0) return 'line-break-before-text';
  return dropped[0]?.reason ?? stats.stopReason ?? 'empty';
}
