/** The provider as Monaco sees it: it answers in every case, and tells what happened. Real editors are tested in the browser. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { abortError, MidlineError } from '../src/client/errors.js';
import type { Completer } from '../src/client/types.js';
import { registerMidline, type MonacoApi, type RegisterOptions } from '../src/monaco/index.js';
import { resultWith } from './support/fake-worker.js';

/** Registers a completer that answers with `complete`, and gives what Monaco would call. */
function registered(complete: Completer['complete'], options?: RegisterOptions) {
  const register = vi.fn((_selector: unknown, _provider: unknown) => ({ dispose: () => undefined }));
  const monaco = {
    editor: { EndOfLinePreference: { LF: 1 } },
    languages: {
      InlineCompletionTriggerKind: { Automatic: 0, Explicit: 1 },
      registerInlineCompletionsProvider: register,
    },
  };
  registerMidline(monaco as unknown as MonacoApi, { complete } as Completer, options);
  type Provide = (...args: unknown[]) => Promise<{ items: { insertText: string }[] }>;
  const { provideInlineCompletions } = register.mock.calls[0]?.[1] as { provideInlineCompletions: Provide };
  const cancels: (() => void)[] = [];
  const token = {
    isCancellationRequested: false,
    onCancellationRequested: (listener: () => void) => {
      cancels.push(listener);
      return { dispose: () => undefined };
    },
  };
  const ask = (triggerKind = 0) =>
    provideInlineCompletions(model, { lineNumber: 1, column: 5 }, { triggerKind }, token);
  return { ask, cancel: () => cancels.forEach((listener) => listener()) };
}

/** The one line `x = `, as far as the provider looks at a document. */
const model = {
  uri: { path: '/x.py' },
  isDisposed: () => false,
  getLanguageId: () => 'python',
  getEOL: () => '\n',
  getValueInRange: (range: { startColumn: number; endColumn: number }) =>
    'x = '.slice(range.startColumn - 1, range.endColumn - 1),
  getOffsetAt: ({ column }: { column: number }) => column - 1,
  getPositionAt: (offset: number) => ({ lineNumber: 1, column: Math.min(offset, 4) + 1 }),
  getLineMaxColumn: () => 5,
};

const failing = (code: 'worker-died' | 'offline') => () =>
  Promise.reject(new MidlineError({ code, message: 'm' }));

afterEach(() => vi.restoreAllMocks());

describe('the provider', () => {
  it('gives the suggestion, and passes on path, language and options', async () => {
    const complete = vi.fn(async () => resultWith('1'));
    const { ask } = registered(complete, { beamWidth: 4, maxNewTokens: 0 });
    expect((await ask()).items).toMatchObject([{ insertText: '1' }]);
    const passed = { path: '/x.py', languageId: 'python', beamWidth: 4, maxNewTokens: 0 };
    expect(complete.mock.lastCall).toMatchObject(['x = ', '', { ...passed, maxSuggestions: 1 }]);
    await ask(1);
    expect(complete.mock.lastCall).toMatchObject(['x = ', '', { ...passed, maxSuggestions: 5 }]);
  });

  it('answers with nothing when it is cancelled, and aborts the completion', async () => {
    const events: string[] = [];
    const { ask, cancel } = registered(
      (_prefix, _suffix, options) =>
        new Promise((_, reject) => options?.signal?.addEventListener('abort', () => reject(abortError()))),
      { onEvent: ({ type }) => events.push(type) },
    );
    const answer = ask();
    cancel();
    expect(await answer).toEqual({ items: [] });
    expect(events).toEqual(['thinking', 'cancelled']);
  });

  it('answers with nothing after a failure; without a listener each kind goes to the console once', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    let complete = failing('worker-died');
    const { ask } = registered(() => complete());
    for (let i = 0; i < 3; i++) expect(await ask()).toEqual({ items: [] });
    expect(warn).toHaveBeenCalledTimes(1);
    complete = failing('offline');
    for (let i = 0; i < 3; i++) expect(await ask()).toEqual({ items: [] });
    expect(warn).toHaveBeenCalledTimes(2);
  });

  it('answers also when the listener throws', async () => {
    const reported = vi.fn();
    vi.stubGlobal('reportError', reported);
    const onEvent = () => {
      throw new Error('mine');
    };
    const { ask } = registered(async () => resultWith('1'), { onEvent });
    expect((await ask()).items).toHaveLength(1);
    expect(reported).toHaveBeenCalledTimes(2);
    vi.unstubAllGlobals();
  });
});
