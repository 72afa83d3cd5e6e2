/** Texts that are no code and arguments that are no texts: an answer or a typed error, and the same answers after. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FromWorker } from '../../www/src/client/protocol.js';
import { launch } from './support/browser.js';
import { MODEL, openPackagePage, packageSite, type Site } from './support/sites.js';
import { ask, startWorker } from './support/worker.js';

const model = `../models/${MODEL}`;
const PREFIX = 'def add(a, b):\n    return ';

let browser: Browser;
let site: Site;
let page: Page;
beforeAll(async () => {
  [browser, site] = await Promise.all([launch(), packageSite()]);
  page = await browser.newPage();
  await openPackagePage(page, site);
  await startWorker(page, site);
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

const complete = (prefix: string, suffix = '', format = 'prefix'): Promise<FromWorker> =>
  ask(page, { type: 'complete', request: { prefix, suffix, languageId: 'python', format } });

/** Checks that the model still answers, and as it did. */
let expected: unknown;
async function stillWorks(): Promise<void> {
  const answer = await complete(PREFIX);
  expect(answer.type).toBe('completed');
  const { suggestions } = (answer as Extract<FromWorker, { type: 'completed' }>).result;
  expected ??= suggestions;
  expect(suggestions).toEqual(expected);
  expect(suggestions).toHaveLength(1);
}

describe('a text that is no code', () => {
  const control = [
    '<|endoftext|>',
    '<|fim_prefix|>',
    '<|fim_suffix|>',
    '<|fim_middle|>',
    '<|lang_sep|>',
    '<|meta_sep|>',
  ];
  const texts: [string, string, string][] = [
    ['nothing', '', ''],
    ['a NUL', 'a\0b = ', '\0'],
    ['CRLF', 'def add(a, b):\r\n    return ', '\r\n'],
    ['a lone high surrogate', 'x = "\ud800', '"\n'],
    ['a lone low surrogate', 'x = "\udc00', '\udfff"\n'],
    ['half a pair on each side of the caret', 'x = "\ud83d', '\ude00"\n'],
    ['an emoji', 'x = "😀', '😀"\n'],
    ['Hangul', '이름 = "한', '글"\n'],
    ['control tokens spelt out', `x = "${control.join('')}"\ny = `, control.join('\n')],
    ['only white space', ' \t\n\u00a0\u3000\n', '\n\n'],
    ['one character 20,000 times', 'x'.repeat(20_000), 'y'.repeat(20_000)],
  ];
  it.each(texts)('%s is completed or declined, and nothing breaks', async (_, prefix, suffix) => {
    for (const format of ['prefix', 'psm', 'spm']) {
      const answer = await complete(prefix, suffix, format);
      expect(answer).toMatchObject({ type: 'completed' });
      const { suggestions } = (answer as Extract<FromWorker, { type: 'completed' }>).result;
      for (const { text } of suggestions) {
        expect(text).not.toMatch(/\p{Surrogate}/u);
        for (const token of control) expect(text).not.toContain(token);
      }
    }
    await stillWorks();
  });

  it('5 MB before and after the caret pass through the API', async () => {
    const answer = await page.evaluate(async (model) => {
      const completer = await globalThis.midline.createCompleter({ model });
      const large = 'def function(argument):\n    return argument\n'.repeat(120_000);
      const result = await completer.complete(large, large);
      const wide = await completer.complete('😀'.repeat(2_500_000), '한'.repeat(5_000_000));
      completer.dispose();
      return { size: large.length, result, wide };
    }, model);
    expect(answer.size).toBeGreaterThan(5_000_000);
    expect(answer.result.stats.promptTokens).toBeGreaterThan(100);
    expect(answer.result.stats.promptTokens).toBeLessThanOrEqual(512);
    expect(answer.wide.stats.promptTokens).toBeLessThanOrEqual(512);
  });

  it('arguments of the wrong type are refused by name', async () => {
    const answer = await page.evaluate(async (model) => {
      const completer = await globalThis.midline.createCompleter({ model });
      const call = completer.complete as (...args: unknown[]) => Promise<unknown>;
      const outcome = await call.call(completer, 1, 2).catch((error: unknown) => error);
      const { name, code, message, found } = outcome as Record<string, string>;
      const works = (await completer.complete('x = ', '')).stats.newTokens;
      completer.dispose();
      return { name, code, message, found, works };
    }, model);
    expect(answer).toMatchObject({
      name: 'MidlineError',
      code: 'request-invalid',
      message: 'prefix must be a string',
      found: 'the number 1',
    });
    expect(answer.works).toBeGreaterThan(0);
  });

  it('a text to tokenize of the largest size takes less time than a hung worker has', async () => {
    const answer = await page.evaluate(async (model) => {
      const completer = await globalThis.midline.createCompleter({ model });
      const times: number[] = [];
      for (const part of ['x', ' ', 'return a + b;\n', '한', '😀', '\ud800', 'ab12_=']) {
        const from = performance.now();
        await completer.tokenize(part.repeat(1_000_000 / part.length));
        times.push(performance.now() - from);
      }
      const { code, expected, found } = await completer
        .tokenize('x'.repeat(1_000_001))
        .then(() => ({}) as Record<string, string>)
        .catch((error: unknown) => error as Record<string, string>);
      completer.dispose();
      return { times, code, expected, found };
    }, model);
    expect(answer.times).toHaveLength(7);
    for (const ms of answer.times) expect(ms).toBeLessThan(8_000);
    const refused = { expected: 'at most 1000000 characters long', found: '1000001 characters' };
    expect(answer).toMatchObject({ code: 'request-invalid', ...refused });
  });

  it('text that spells control tokens never becomes one', async () => {
    for (const token of control) {
      const answer = await ask(page, { type: 'tokenize', text: token });
      expect(answer).toMatchObject({ type: 'tokens' });
      const { tokens } = answer as Extract<FromWorker, { type: 'tokens' }>;
      expect(tokens.length).toBeGreaterThan(1);
    }
  });
});
