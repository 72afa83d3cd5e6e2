/**
 * A long script of random events, by a seed: the session alone, with a string for an editor, says what is to be seen
 * after each of them, and CodeMirror and both versions of Monaco show exactly that: documents, carets, suggestions.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScriptedEditor, settled } from '../../www/tests/support/script.js';
import { resultWith } from '../../www/tests/support/fake-worker.js';
import { launch, uncaughtErrors } from './support/browser.js';
import { EditorOnPage, editorsSite, openEditors, type Kind, type MonacoPackage } from './support/editors.js';
import type { Site } from './support/sites.js';

const STEPS = 80;

/** By the end of the text before the caret: words, signs, several lines, characters of two units and of several. */
const ANSWERS: Record<string, string[]> = {
  a: ['b c.d + 1', 'bd', 'd a'],
  b: ['c\n  a = b\nd', 'c a'],
  c: [],
  d: [" = '😀é👩‍🚀' b", 'd'],
  ' ': ['ab = a b', 'ab', 'cd\ncd'],
  '\n': ['abc d\na', 'b'],
};

type Step = readonly [action: string, argument?: string];

const COMMANDS = ['accept', 'acceptWord', 'acceptLine', 'dismiss', 'trigger', 'next', 'previous'] as const;
/** Commands that people give by key, so that the editor knows of them as it does of keys. */
const ACCEPTS_BY_KEY: Record<string, string> = {
  accept: 'Tab',
  acceptWord: 'Control+ArrowRight',
  dismiss: 'Escape',
};
const KEYS = ['Backspace', 'ArrowLeft', 'ArrowRight'];

/** Marsaglia's xorshift with 32 bits. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

function scriptOf(seed: number): Step[] {
  const next = random(seed);
  const one = <T>(of: readonly T[]): T => of[next(of.length)] as T;
  return Array.from({ length: STEPS }, (): Step => {
    const kind = next(10);
    if (kind < 5) return ['type', one('aabbccdd '.split(''))];
    if (kind < 6) return ['press', one(KEYS)];
    return ['run', one(COMMANDS)];
  });
}

/** The last character of `text` as a person sees it, or the first. */
function character(text: string, which: 'first' | 'last'): string {
  const all = [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text.slice(-40))];
  const first = [...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text.slice(0, 40))];
  return (which === 'last' ? all.at(-1) : first[0])?.segment ?? '';
}

/** One step of the session alone. */
async function step(alone: ScriptedEditor, [action, argument = '']: Step): Promise<void> {
  const { session, caret } = alone;
  const before = character(alone.text.slice(0, caret), 'last').length;
  const after = character(alone.text.slice(caret), 'first').length;
  const doing: Record<string, () => void> = {
    Backspace: () =>
      before > 0 && alone.edit({ from: caret - before, to: caret, insert: '' }, caret - before, 'deleted'),
    ArrowLeft: () => before > 0 && alone.move(-before),
    ArrowRight: () => after > 0 && alone.move(after),
    accept: () => alone.accept('all'),
    acceptWord: () => alone.accept('word'),
    acceptLine: () => alone.accept('line'),
    dismiss: () => session.dispatch({ type: 'dismissed' }),
    trigger: () => session.dispatch({ type: 'triggered', place: alone.place }),
    next: () => session.dispatch({ type: 'cycled', by: 1 }),
    previous: () => session.dispatch({ type: 'cycled', by: -1 }),
  };
  if (action === 'type') alone.type(argument);
  else doing[argument]?.();
  alone.clock.advance(1000);
  const question = alone.questions.at(-1);
  if (question && session.state.waiting) {
    const texts = (ANSWERS[question.prefix.slice(-1)] ?? []).slice(0, question.options.maxSuggestions);
    const suggestions = texts.map((text) => ({ text, score: -1, tokens: 1 }));
    question.answer({ ...resultWith(''), suggestions });
  }
  await settled();
}

/** What is to be seen after each step. */
async function expected(script: readonly Step[]): Promise<string[]> {
  const alone = new ScriptedEditor('|');
  const seen: string[] = [];
  for (const each of script) {
    await step(alone, each);
    const text = alone.session.view?.text ?? '';
    const ghost = text === '' ? '' : `[${text}]`;
    seen.push(`${alone.text.slice(0, alone.caret)}${ghost}|${alone.text.slice(alone.caret)}`);
  }
  return seen;
}

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
});

const cases: [string, Kind, MonacoPackage][] = [
  ['CodeMirror', 'codemirror', 'monaco-editor'],
  ['Monaco', 'monaco', 'monaco-editor'],
  ['Monaco 0.52', 'monaco', 'monaco-editor-0-52'],
];

describe.each(cases)('%s', (_, kind, version) => {
  let site: Site;
  let page: Page;
  let errors: string[];
  beforeAll(async () => {
    site = await editorsSite(version);
    page = await browser.newPage();
    errors = uncaughtErrors(page);
    await openEditors(page, site);
  });
  afterAll(async () => {
    await page?.close();
    await site?.close();
  });

  it.each([2463534242, 88172645])(
    'seed %i',
    async (seed) => {
      const script = scriptOf(seed);
      const toSee = await expected(script);
      const editor = new EditorOnPage(page, kind);
      await editor.open('|', ANSWERS, { debounceMs: 0 });
      for (const [i, [action, argument = '']] of script.entries()) {
        const key = ACCEPTS_BY_KEY[argument];
        if (action === 'type') await editor.type(argument);
        else if (action === 'press') await editor.press(argument);
        else if (key === undefined) await editor.run(argument as (typeof COMMANDS)[number]);
        // Without a suggestion these keys are for somebody else.
        else if (toSee[i - 1]?.includes(']|')) await editor.press(key);
        const history = script.slice(Math.max(0, i - 5), i + 1).join('; ');
        const soon = {
          timeout: 4000,
          interval: 20,
          message: `step ${i}: ${history}, from ${JSON.stringify(toSee.slice(Math.max(0, i - 3), i))}`,
        };
        // Twice, so that it is not on its way to something else.
        for (let times = 0; times < 2; times++) {
          await expect.poll(() => editor.seen(), soon).toBe(toSee[i]);
          if (times === 0) await page.waitForTimeout(60);
        }
      }
      expect(errors).toEqual([]);
    },
    120_000,
  );
});
