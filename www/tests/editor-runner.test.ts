/** How effects are carried out: waiting, asking, aborting, the cache, and completers that misbehave. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { MidlineError } from '../src/client/errors.js';
import type { CompletionResult } from '../src/client/types.js';
import { SuggestionCache } from '../src/editor/cache.js';
import { settingsFrom, type EditorOptions, type MidlineEvent } from '../src/editor/index.js';
import { MAX_WAIT_MS, MIN_WAIT_MS, UNKNOWN, waitMs, withAnswer, withKey } from '../src/editor/rhythm.js';
import { resultWith } from './support/fake-worker.js';
import { ScriptedEditor, settled } from './support/script.js';

afterEach(() => vi.restoreAllMocks());

function editorWith(options: EditorOptions = {}, start = '|') {
  const events: MidlineEvent[] = [];
  const editor = new ScriptedEditor(start, { onEvent: (event) => events.push(event), ...options });
  return { editor, events, types: () => events.map(({ type }) => type) };
}

describe('after a key', () => {
  it('the completer is asked once typing pauses, with what was typed until then', () => {
    const { editor } = editorWith();
    for (const key of 'abc') {
      editor.type(key);
      editor.clock.advance(MIN_WAIT_MS - 1);
    }
    expect(editor.questions).toHaveLength(0);
    editor.clock.advance(1);
    expect(editor.questions.map(({ prefix }) => prefix)).toEqual(['abc']);
  });

  it('a fixed wait is kept to', () => {
    const { editor } = editorWith({ debounceMs: 300 });
    editor.type('a');
    editor.clock.advance(299);
    expect(editor.questions).toHaveLength(0);
    editor.clock.advance(1);
    expect(editor.questions).toHaveLength(1);
  });

  it('the question before is aborted, and what it answers is not used', async () => {
    const { editor, types } = editorWith();
    editor.type('a');
    editor.clock.advance(50);
    const [first] = editor.questions;
    editor.type('b');
    expect(first?.options.signal?.aborted).toBe(true);
    first?.answer(resultWith('late'));
    await settled();
    expect(editor.seen).toBe('ab…|');
    await editor.answer(resultWith('c'));
    expect(editor.seen).toBe('ab[c]|');
    expect(types()).toEqual(['thinking', 'cancelled', 'thinking', 'suggested']);
  });

  it('one suggestion is asked for, by command as many as wanted, with the other options', async () => {
    const { editor } = editorWith({ beamWidth: 4, format: 'spm', maxSuggestions: 3 });
    editor.type('a');
    await editor.answer(resultWith('b'));
    expect(editor.questions[0]?.options).toMatchObject({ beamWidth: 4, format: 'spm', maxSuggestions: 1 });
    editor.session.dispatch({ type: 'cycled', by: 1 });
    expect(editor.questions[1]?.options).toMatchObject({ beamWidth: 4, format: 'spm', maxSuggestions: 3 });
  });
});

describe('the time to wait', () => {
  const typing = (gapMs: number, answerMs: number): number => {
    let rhythm = UNKNOWN;
    for (let i = 0; i < 40; i++) rhythm = withAnswer(withKey(rhythm, i * gapMs), answerMs);
    return waitMs(rhythm);
  };
  it.each([
    ['answers between two keys', 150, 60, MIN_WAIT_MS],
    ['answers that take a little longer than that', 100, 110, 110],
    ['slow answers: until the next key would have come', 100, 900, 120],
    ['slow answers, slow typing: not longer than is good', 600, 900, MAX_WAIT_MS],
    ['keys held down', 5, 20, MIN_WAIT_MS],
  ])('%s', (_, gap, answer, expected) => {
    expect(typing(gap, answer)).toBeCloseTo(expected);
  });

  it('a pause says nothing about the rhythm', () => {
    const rhythm = withKey(withKey(withKey(UNKNOWN, 0), 100), 60_000);
    expect(rhythm.keyMs).toBe(100);
    expect(waitMs(UNKNOWN)).toBe(MIN_WAIT_MS);
  });
});

describe('the cache', () => {
  const at = (prefix: string, suffix = '', languageId = 'python') => ({ prefix, suffix, languageId });
  const texts = (result: CompletionResult | undefined) => result?.suggestions.map(({ text }) => text);

  it('answers for exactly the same text, and further on in its answer', () => {
    const cache = new SuggestionCache();
    cache.add(at('a'), resultWith('bcd'), false);
    expect(texts(cache.find(at('a'), false))).toEqual(['bcd']);
    expect(texts(cache.find(at('ab'), false))).toEqual(['cd']);
    for (const other of [at('abcd'), at('ax'), at(' a'), at('a '), at(''), at('a', ';'), at('a', '', 'rust')])
      expect(cache.find(other, false)).toBeUndefined();
  });

  it('an answer to typing is not one to the wish for several', () => {
    const cache = new SuggestionCache();
    cache.add(at('a'), resultWith('b'), false);
    expect(cache.find(at('a'), true)).toBeUndefined();
    cache.add(at('a'), resultWith('c'), true);
    expect(texts(cache.find(at('a'), true))).toEqual(['c']);
    expect(cache.size).toBe(1);
  });

  it('keeps that there is nothing, for this place only', () => {
    const cache = new SuggestionCache();
    cache.add(at('a'), { ...resultWith(''), suggestions: [] }, false);
    expect(texts(cache.find(at('a'), false))).toEqual([]);
    expect(cache.find(at('ab'), false)).toBeUndefined();
  });

  it('is bounded: what was not used for longest goes', () => {
    const cache = new SuggestionCache(2);
    cache.add(at('a'), resultWith('1'), false);
    cache.add(at('b'), resultWith('2'), false);
    cache.find(at('a'), false);
    cache.add(at('c'), resultWith('3'), false);
    expect(cache.size).toBe(2);
    expect(texts(cache.find(at('a'), false))).toEqual(['1']);
    expect(cache.find(at('b'), false)).toBeUndefined();
  });

  it('belongs to one editor', async () => {
    const [one, two] = [editorWith().editor, editorWith().editor];
    one.type('a');
    await one.answer(resultWith('b'));
    two.type('a');
    expect(two.seen).toBe('a…|');
  });

  it('does not keep what the time was not enough for', async () => {
    const { editor } = editorWith();
    editor.type('a');
    const result = resultWith('b');
    await editor.answer({ ...result, stats: { ...result.stats, stopReason: 'time-budget' } });
    editor.type('x');
    editor.edit({ from: 1, to: 2, insert: '' }, 1, 'deleted');
    expect(editor.seen).toBe('a…|');
  });
});

describe('a completer that', () => {
  it('rejects is asked again at the next key; without a listener each kind is told once', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const editor = new ScriptedEditor('|');
    for (const code of ['worker-died', 'worker-died', 'offline'] as const) {
      editor.type('a');
      editor.clock.advance(1000);
      editor.questions.at(-1)?.fail(new MidlineError({ code, message: 'm' }));
      await settled();
    }
    expect(editor.questions).toHaveLength(3);
    expect(editor.session.phase).toBe('idle');
    expect(warn).toHaveBeenCalledTimes(2);
  });

  it('never answers is aborted by the next key', () => {
    const { editor } = editorWith();
    for (const key of 'abc') {
      editor.type(key);
      editor.clock.advance(60_000);
    }
    expect(editor.questions.map(({ options }) => options.signal?.aborted)).toEqual([true, true, false]);
  });

  it.each([undefined, null, 'text', {}, { suggestions: 3 }, { suggestions: [{}] }])(
    'answers nonsense (%j) fails',
    async (nonsense) => {
      const { editor, events } = editorWith();
      editor.type('a');
      await editor.answer(nonsense as unknown as CompletionResult);
      expect(editor.seen).toBe('a|');
      expect(events.at(-1)).toMatchObject({ type: 'failed', error: expect.any(TypeError) });
    },
  );

  it('throws instead of rejecting fails', async () => {
    const events: MidlineEvent[] = [];
    const { editor } = editorWith({ onEvent: (event) => events.push(event) });
    Object.assign(editor.questions, { push: () => { throw new Error('mine'); } }); // prettier-ignore
    editor.type('a');
    editor.clock.advance(1000);
    await settled();
    expect(events.map(({ type }) => type)).toEqual(['thinking', 'failed']);
  });

  it('answers after the end changes nothing', async () => {
    const { editor } = editorWith();
    editor.type('a');
    editor.clock.advance(1000);
    editor.session.dispose();
    expect(editor.questions[0]?.options.signal?.aborted).toBe(true);
    editor.questions[0]?.answer(resultWith('b'));
    await settled();
    editor.type('c');
    editor.clock.advance(1000);
    expect(editor.seen).toBe('ac|');
    expect(editor.questions).toHaveLength(1);
    expect(editor.clock.waiting).toBe(0);
    editor.session.dispose(); // twice is no harm
  });
});

describe('a long document', () => {
  it('is cut, and what is typed along is still known', async () => {
    const { editor } = editorWith({}, `${'line of text\n'.repeat(20_000)}|\n${'x'.repeat(50_000)}`);
    editor.type('a');
    await editor.answer(resultWith('bcd'));
    const [question] = editor.questions;
    expect(question?.prefix.length).toBeLessThanOrEqual(65_536);
    expect(question?.suffix.length).toBeLessThanOrEqual(16_384);
    editor.type('x');
    editor.edit({ from: editor.caret - 1, to: editor.caret, insert: '' }, editor.caret - 1, 'deleted');
    expect(editor.session.view?.text).toBe('bcd');
    editor.clock.advance(5000);
    expect(editor.questions).toHaveLength(1);
  });
});

describe('a listener', () => {
  it('that throws changes nothing', async () => {
    const reported = vi.fn();
    vi.stubGlobal('reportError', reported);
    const { editor } = editorWith({
      onEvent: () => {
        throw new Error('mine');
      },
    });
    editor.type('a');
    await editor.answer(resultWith('b'));
    vi.unstubAllGlobals();
    expect(editor.seen).toBe('a[b]|');
    expect(reported).toHaveBeenCalledTimes(2);
  });

  it('hears why nothing is shown', async () => {
    const { editor, events } = editorWith({}, '|;');
    editor.type('(');
    await editor.answer(resultWith('\nx'));
    expect(events.at(-1)).toMatchObject({ type: 'nothing', reason: 'line-break-before-text' });
    editor.type('(');
    const dropped = [{ text: ' ', reason: 'blank' }];
    await editor.answer({ ...resultWith(''), suggestions: [], dropped });
    expect(events.at(-1)).toMatchObject({ type: 'nothing', reason: 'blank' });
  });
});

describe('a screen reader', () => {
  it('hears a suggestion when typing pauses, another one at once, typing along never', async () => {
    const { editor } = editorWith();
    editor.type('a');
    await editor.answer(resultWith('bcd'));
    expect(editor.announced).toEqual([]);
    editor.clock.advance(700);
    expect(editor.announced).toEqual(['1/1 bcd']);
    editor.type('b');
    editor.clock.advance(5000);
    expect(editor.announced).toEqual(['1/1 bcd']);
    editor.session.dispatch({ type: 'cycled', by: 1 });
    await editor.answer({
      ...resultWith(''),
      suggestions: ['cd', 'xy'].map((text) => ({ text, score: -1, tokens: 1 })),
    });
    expect(editor.announced).toEqual(['1/1 bcd', '2/2 xy']);
  });

  it('does not hear what is gone by then', async () => {
    const { editor } = editorWith();
    editor.type('a');
    await editor.answer(resultWith('bcd'));
    editor.type('x');
    editor.clock.advance(5000);
    expect(editor.announced).toEqual([]);
  });
});

describe('options of the wrong type or range', () => {
  const completer = { complete: async () => resultWith('') };
  const bad: [string, unknown, unknown][] = [
    ['completer', undefined, {}],
    ['completer', {}, {}],
    ['completer', { complete: 3 }, {}],
    ['options', completer, null],
    ['options', completer, 'fast'],
    ['debounceMs', completer, { debounceMs: '40' }],
    ['debounceMs', completer, { debounceMs: -1 }],
    ['debounceMs', completer, { debounceMs: NaN }],
    ['onEvent', completer, { onEvent: 'log' }],
    ['maxSuggestions', completer, { maxSuggestions: 0 }],
    ['beamWidth', completer, { beamWidth: 1.5 }],
    ['maxNewTokens', completer, { maxNewTokens: '8' }],
    ['format', completer, { format: 'fim' }],
    ['timeBudgetMs', completer, { timeBudgetMs: -1 }],
  ];
  it.each(bad)('are refused when registering: %s (%#)', (name, completer, options) => {
    const register = () => settingsFrom(completer as never, options as EditorOptions);
    expect(register).toThrow(MidlineError);
    expect(register).toThrow(new RegExp(`^${name} must be`));
    try {
      register();
    } catch (error) {
      expect(error).toMatchObject({ code: 'request-invalid', expected: expect.any(String), found: expect.any(String) }); // prettier-ignore
    }
  });
});
