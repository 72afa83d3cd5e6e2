/**
 * Ghost text in Monaco: `registerMidline(monaco, completer)`. The editor is an
 * argument and its package is imported for types only, so an application keeps
 * its own copy and its own way of loading it.
 */
import type * as Monaco from 'monaco-editor';
import { reportUncaught } from '../client/errors.js';
import type { Completer } from '../client/types.js';
import { invalid, settingsFrom, type EditorOptions } from '../editor/index.js';
import { AcceptCommand } from './accepted.js';
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
  /** Whose list it is and where it was given, to hear what becomes of it. */
  const lists = new WeakMap<object, { readonly session: ModelSession; readonly question: number }>();
  const disposables = new Set<Monaco.IDisposable>();
  const accept = new AcceptCommand(monaco, askAgain);
  disposables.add(accept);
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

  /** Has Monaco ask without a key, as it does after one. */
  function askAgain(model: Monaco.editor.ITextModel): void {
    if (disposed) return;
    if (listeners.size > 0) return listeners.forEach((listener) => listener());
    // Monaco 0.52 takes no hints. Its command asks as if the user had: the session is told better.
    const editor = focusedOn(model);
    if (!editor) return;
    sessions.get(model)?.unprompted();
    editor.trigger('midline', 'editor.action.inlineSuggest.trigger', {});
  }

  function focusedOn(model: Monaco.editor.ITextModel): Monaco.editor.ICodeEditor | undefined {
    return monaco.editor.getEditors().find((editor) => editor.hasTextFocus() && editor.getModel() === model);
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
      const asking = session.ask({
        position: { lineNumber: position.lineNumber, column: position.column },
        explicit: context.triggerKind === monaco.languages.InlineCompletionTriggerKind.Explicit,
        lead: context.selectedSuggestionInfo,
        token,
      });
      const question = session.questions;
      const items = await asking;
      const list = { items: items.map((item) => accept.with(item, model)) };
      lists.set(list, { session, question });
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

  /** Monaco 0.52 does not say why it lets a list go: if nothing has happened since, the user declined it. */
  const isSilent = monaco.languages.InlineCompletionEndOfLifeReasonKind === undefined;
  function free(list: object): void {
    const { session, question } = lists.get(list) ?? {};
    if (!isSilent || !session || question !== session.questions) return;
    const position = focusedOn(session.model)?.getPosition();
    if (position && session.isAt(position)) session.dismiss();
  }
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
    // The session follows the document, which also says what was accepted; only the caret may need help.
    handlePartialAccept: (list: object) => {
      const { session } = lists.get(list) ?? {};
      if (session?.accepted !== undefined) accept.partly(session.model, session.accepted);
    },
    handleEndOfLifetime: (list: object, _item: unknown, reason: { readonly kind: number }) => {
      const { Rejected } = monaco.languages.InlineCompletionEndOfLifeReasonKind ?? {};
      if (reason.kind === Rejected) lists.get(list)?.session.dismiss();
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
