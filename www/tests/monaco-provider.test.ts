/** The provider as Monaco sees it: it answers in every case, and tells what happened. Real editors are tested in the browser. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { abortError, MidlineError } from '../src/client/errors.js';
import type { Completer } from '../src/client/types.js';
import { registerMidline, type MonacoApi, type RegisterOptions } from '../src/monaco/index.js';
import { FakeModel, registered } from './support/fake-monaco.js';
import { resultWith } from './support/fake-worker.js';

const several = (...texts: string[]) => ({
  ...resultWith(''),
  suggestions: texts.map((text) => ({ text, score: -1, tokens: 1 })),
});
const failing = (code: 'worker-died' | 'offline') => () =>
  Promise.reject(new MidlineError({ code, message: 'm' }));
const texts = ({ items }: { items: { insertText: string }[] }) => items.map((item) => item.insertText);
const EXPLICIT = { triggerKind: 1 };

afterEach(() => vi.restoreAllMocks());

describe('the provider', () => {
  it('gives one suggestion for typing, several by command, and passes on path, language and options', async () => {
    const complete = vi.fn<Completer['complete']>(async (_prefix, _suffix, options) =>
      options?.maxSuggestions === 1 ? several('1') : several('1', '2'),
    );
    const { ask } = registered(complete, { beamWidth: 4, maxNewTokens: 8 });
    const model = new FakeModel('x = ');
    expect(texts(await ask(model, 4))).toEqual(['1']);
    const passed = { path: '/x.py', languageId: 'python', beamWidth: 4, maxNewTokens: 8 };
    expect(complete.mock.lastCall).toMatchObject(['x = ', '', { ...passed, maxSuggestions: 1 }]);
    expect(texts(await ask(model, 4, EXPLICIT))).toEqual(['1', '2']);
    expect(complete.mock.lastCall).toMatchObject(['x = ', '', { ...passed, maxSuggestions: 5 }]);
    expect(texts(await ask(model, 4))).toEqual(['1']);
    expect(complete).toHaveBeenCalledTimes(2);
  });

  it('answers what is typed along with, and what is accepted in part, without asking', async () => {
    const complete = vi.fn(async () => resultWith('abc def'));
    const { ask } = registered(complete);
    const model = new FakeModel('x = ');
    await ask(model, 4);
    model.edit(4, 4, 'a');
    expect((await ask(model, 5)).items).toMatchObject([
      {
        insertText: 'abc def',
        range: { startLineNumber: 1, startColumn: 5, endLineNumber: 1, endColumn: 6 },
      },
    ]);
    model.edit(5, 5, 'bc ');
    expect(texts(await ask(model, 8))).toEqual(['abc def']);
    expect(complete).toHaveBeenCalledTimes(1);
    model.edit(8, 8, 'def');
    await ask(model, 11);
    expect(complete.mock.lastCall).toMatchObject(['x = abc def', '', {}]);
  });

  it('answers with nothing when it is cancelled, and aborts the completion', async () => {
    const events: string[] = [];
    const { ask, cancel, cancels } = registered(
      (_prefix, _suffix, options) =>
        new Promise((_, reject) => options?.signal?.addEventListener('abort', () => reject(abortError()))),
      { onEvent: ({ type }) => events.push(type) },
    );
    const answer = ask(new FakeModel('x = '), 4);
    await new Promise((resolve) => setTimeout(resolve, 20));
    cancel();
    expect(texts(await answer)).toEqual([]);
    expect(events).toEqual(['thinking', 'cancelled']);
    expect(cancels.size).toBe(0);
  });

  it('answers with nothing after a failure', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const { ask } = registered(failing('worker-died'));
    const model = new FakeModel('x = ');
    for (let i = 0; i < 3; i++) expect(texts(await ask(model, 4))).toEqual([]);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it('answers a question that a newer one overtakes, with nothing', async () => {
    const answers: ((text: string) => void)[] = [];
    const { ask } = registered(
      () => new Promise((resolve) => answers.push((text) => resolve(resultWith(text)))),
    );
    const model = new FakeModel('x = ');
    const first = ask(model, 4);
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    model.edit(4, 4, 'y');
    const second = ask(model, 5);
    expect(texts(await first)).toEqual([]);
    await vi.waitFor(() => expect(answers).toHaveLength(2));
    answers[0]?.('late');
    answers[1]?.('z');
    expect(texts(await second)).toEqual(['z']);
  });

  it('offers nothing in front of a word, unless by command', async () => {
    const complete = vi.fn(async () => resultWith('1'));
    const { ask } = registered(complete);
    expect(texts(await ask(new FakeModel('x = yz'), 4))).toEqual([]);
    expect(complete).not.toHaveBeenCalled();
    expect(texts(await ask(new FakeModel('x = yz'), 4, EXPLICIT))).toEqual(['1']);
  });

  it('continues the selected item of the suggest widget, each item anew', async () => {
    const complete = vi.fn(async () => resultWith('(item)'));
    const { ask } = registered(complete);
    const range = { startLineNumber: 1, startColumn: 3, endLineNumber: 1, endColumn: 5 };
    const model = new FakeModel('x.ap');
    const selecting = (text: string) => ({
      triggerKind: 0,
      selectedSuggestionInfo: { text, range },
    });
    expect((await ask(model, 4, selecting('append'))).items).toMatchObject([
      { insertText: 'append(item)', range },
    ]);
    expect(texts(await ask(model, 4, selecting('apply')))).toEqual(['apply(item)']);
    expect(texts(await ask(model, 4, selecting('append')))).toEqual(['append(item)']);
    expect(texts(await ask(model, 4, selecting('pop')))).toEqual([]);
    expect(complete.mock.calls.map(([prefix]: unknown[]) => prefix)).toEqual(['x.append', 'x.apply']);
  });

  it('does not bring back what was dismissed', async () => {
    const complete = vi.fn(async () => resultWith('1'));
    const { ask, provider } = registered(complete);
    const model = new FakeModel('x = ');
    const list = await ask(model, 4);
    provider.handleEndOfLifetime(list, {}, { kind: 2 });
    await ask(model, 4);
    expect(complete).toHaveBeenCalledTimes(1);
    provider.handleEndOfLifetime(list, {}, { kind: 1 });
    await ask(model, 4);
    expect(complete).toHaveBeenCalledTimes(2);
  });

  it('forgets a document that is replaced', async () => {
    const complete = vi.fn(async () => resultWith('1'));
    const { ask } = registered(complete);
    const model = new FakeModel('x = ');
    await ask(model, 4);
    model.setValue('x = ');
    await ask(model, 4);
    expect(complete).toHaveBeenCalledTimes(2);
  });

  it('keeps models apart', async () => {
    const { ask } = registered(async (prefix) => resultWith(prefix.toUpperCase()));
    const [one, two] = [new FakeModel('a'), new FakeModel('b')];
    const answers = await Promise.all([ask(one, 1), ask(two, 1), ask(one, 1), ask(two, 1)]);
    expect(answers.map(texts)).toEqual([[], [], ['A'], ['B']]);
  });

  it('has both names of the method that frees a list', async () => {
    const { ask, provider } = registered(async () => resultWith('1'));
    const list = await ask(new FakeModel('x'), 1);
    provider.freeInlineCompletions(list);
    provider.disposeInlineCompletions(list);
    expect(provider.debounceDelayMs).toBe(0);
  });
});

describe('the end', () => {
  it('of a model ends its session, also while it waits', async () => {
    let signal: AbortSignal | undefined;
    const { ask } = registered((_prefix, _suffix, options) => {
      signal = options?.signal;
      return new Promise(() => undefined);
    });
    const model = new FakeModel('x');
    const answer = ask(model, 1);
    await vi.waitFor(() => expect(signal).toBeDefined());
    model.dispose();
    expect(texts(await answer)).toEqual([]);
    expect(signal?.aborted).toBe(true);
    expect(model.listening).toBe(0);
    expect(texts(await ask(model, 1))).toEqual([]);
  });

  it('of the registration leaves nothing behind', async () => {
    const { ask, registration, unregister, created, provider } = registered(
      () => new Promise(() => undefined),
    );
    const changed = vi.fn();
    provider.onDidChangeInlineCompletions(changed);
    const listeners = new Set<() => void>();
    const on = (listener: () => void) => {
      listeners.add(listener);
      return { dispose: () => void listeners.delete(listener) };
    };
    const editor = { onDidCompositionStart: on, onDidCompositionEnd: on, onDidDispose: on };
    created.fire(editor);
    expect(listeners.size).toBe(3);
    const model = new FakeModel('x');
    const answer = ask(model, 1);
    registration.dispose();
    registration.dispose();
    expect(texts(await answer)).toEqual([]);
    expect(unregister).toHaveBeenCalledTimes(1);
    expect([model.listening, listeners.size, created.listeners.size]).toEqual([0, 0, 0]);
    expect(texts(await ask(model, 1))).toEqual([]);
    expect(model.listening).toBe(0);
  });
});

describe('arguments of the wrong type', () => {
  const completer = { complete: async () => resultWith('') } as unknown as Completer;
  const monaco = {
    editor: {},
    languages: { registerInlineCompletionsProvider: () => ({ dispose: () => undefined }) },
  } as unknown as MonacoApi;
  it.each<[string, unknown, unknown, unknown]>([
    ['monaco', undefined, completer, {}],
    ['monaco', {}, completer, {}],
    ['completer', monaco, {}, {}],
    ['options', monaco, completer, 3],
    ['selector', monaco, completer, { selector: 3 }],
    ['debounceMs', monaco, completer, { debounceMs: -1 }],
    ['beamWidth', monaco, completer, { beamWidth: 'wide' }],
  ])('are refused when registering: %s (%#)', (name, monaco, completer, options) => {
    const register = () =>
      registerMidline(monaco as MonacoApi, completer as Completer, options as RegisterOptions);
    expect(register).toThrow(MidlineError);
    expect(register).toThrow(new RegExp(`^${name} must be`));
  });
});
