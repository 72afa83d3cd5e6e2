/**
 * Ghost text in Monaco: `registerMidline(monaco, completer)`. The editor is an
 * argument and its package is imported for types only, so an application keeps
 * its own copy and its own way of loading it.
 */
import type * as Monaco from 'monaco-editor';
import { reportUncaught } from '../client/errors.js';
import type { Completer } from '../client/types.js';
import { invalid, settingsFrom, type EditorOptions } from '../editor/index.js';
import { CaretCommand } from './caret.js';
import { ModelSession } from './model-session.js';

export type { MidlineEvent } from '../editor/index.js';

/** The part of the `monaco` namespace that is used. */
export type MonacoApi = Pick<typeof Monaco, 'editor' | 'languages'>;

export interface RegisterOptions extends EditorOptions {
  /** Languages to complete in; all by default. */
  readonly selector?: Monaco.languages.LanguageSelector;
}

/**
 * Registers `completer` for inline suggestions, until the result is disposed. The completer stays the caller's.
 * The provider answers Monaco in every case: when it is cancelled or fails, with nothing.
 *
 * @throws MidlineError `request-invalid` for an argument of the wrong type or range
 */
export function registerMidline(
  monaco: MonacoApi,
  completer: Completer,
  options: RegisterOptions = {},
): Monaco.IDisposable {
  if (typeof monaco?.languages?.registerInlineCompletionsProvider !== 'function')
    throw invalid('monaco', 'the namespace of Monaco 0.52 or newer', monaco);
  if (typeof options !== 'object' || options === null) throw invalid('options', 'an object', options);
  const { selector = '*', ...rest } = options;
  if (!['string', 'object'].includes(typeof selector) || selector === null)
    throw invalid('selector', 'a language selector', selector);
  const settings = settingsFrom(completer, rest);
  const listeners = new Set<() => void>();
  const sessions = new Map<Monaco.editor.ITextModel, ModelSession>();
  /** Whose list it is, to hear what becomes of it. */
  const lists = new WeakMap<object, ModelSession>();
  const disposables = new Set<Monaco.IDisposable>();
  const caret = new CaretCommand(monaco);
  disposables.add(caret);
  let disposed = false;

  function sessionOf(model: Monaco.editor.ITextModel): ModelSession {
    const known = sessions.get(model);
    if (known) return known;
    const session = new ModelSession(monaco, model, settings, {
      unasked: () => [...listeners].forEach((listener) => listener()),
      closed: () => sessions.delete(model),
    });
    sessions.set(model, session);
    return session;
  }

  async function provide(
    model: Monaco.editor.ITextModel,
    position: Monaco.Position,
    context: Monaco.languages.InlineCompletionContext,
    token: Monaco.CancellationToken,
  ): Promise<Monaco.languages.InlineCompletions> {
    try {
      if (disposed || token.isCancellationRequested || model.isDisposed()) return { items: [] };
      const session = sessionOf(model);
      const items = await session.ask({
        position: { lineNumber: position.lineNumber, column: position.column },
        explicit: context.triggerKind === monaco.languages.InlineCompletionTriggerKind.Explicit,
        lead: context.selectedSuggestionInfo,
        token,
      });
      const list = { items: items.map((item) => caret.with(item, model)) };
      lists.set(list, session);
      return list;
    } catch (error) {
      reportUncaught(error); // nothing of ours may come out of the editor's own calls
      return { items: [] };
    }
  }

  /** While an input method composes there is nothing to ask for; Monaco does not say so when it asks. */
  function watch(editor: Monaco.editor.ICodeEditor): void {
    const compose = (active: boolean) => () => {
      const [model, position] = [editor.getModel(), editor.getPosition()];
      if (model && position) sessions.get(model)?.compose(active, position);
    };
    const own = [
      editor.onDidCompositionStart(compose(true)),
      editor.onDidCompositionEnd(compose(false)),
      editor.onDidDispose(() => watching.dispose()),
    ];
    const watching = {
      dispose() {
        own.forEach((each) => each.dispose());
        disposables.delete(watching);
      },
    };
    disposables.add(watching);
  }

  const free = (list: object): void => void lists.delete(list);
  const provider = {
    displayName: 'Midline',
    groupId: 'midline',
    debounceDelayMs: 0, // the session waits, and answers at once what it knows
    provideInlineCompletions: provide,
    onDidChangeInlineCompletions: (listener: (hint: void) => unknown) => {
      const call = (): void => void listener();
      listeners.add(call);
      return { dispose: () => void listeners.delete(call) };
    },
    // The session follows the document, which also says what was accepted: it must not depend on being told.
    handlePartialAccept: () => undefined,
    handleEndOfLifetime: (list: object, _item: unknown, reason: { readonly kind: number }) => {
      const { Rejected } = monaco.languages.InlineCompletionEndOfLifeReasonKind ?? {};
      if (reason.kind === Rejected) lists.get(list)?.dismiss();
    },
    disposeInlineCompletions: free,
    freeInlineCompletions: free, // the name before 0.53; without it older versions throw
  };
  disposables.add(monaco.languages.registerInlineCompletionsProvider(selector, provider));
  disposables.add(monaco.editor.onDidCreateEditor(watch));
  monaco.editor.getEditors().forEach(watch);
  return {
    dispose() {
      disposed = true;
      for (const each of [...disposables]) each.dispose();
      disposables.clear();
      listeners.clear();
      for (const session of sessions.values()) session.dispose();
      sessions.clear();
    },
  };
}
