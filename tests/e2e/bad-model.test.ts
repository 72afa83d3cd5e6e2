/**
 * Files that are no models, or not ones that can be run: a typed error that says what was expected and what was
 * found; the worker lives, and the model before goes on with the same answers.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FromWorker } from '../../www/src/client/protocol.js';
import { BAD_MODELS, file, layout } from './support/bad-models.js';
import { launch } from './support/browser.js';
import { MODEL, openPackagePage, packageSite, type Site } from './support/sites.js';
import { ask, startWorker } from './support/worker.js';

let browser: Browser;
let site: Site;
let page: Page;
beforeAll(async () => {
  [browser, site] = await Promise.all([launch(), packageSite()]);
  page = await browser.newPage();
  await openPackagePage(page, site);
  await startWorker(page, site);
  await page.evaluate(async (model) => {
    const completer = await globalThis.midline.createCompleter({ model });
    Object.assign(globalThis, { completer });
  }, `../models/${MODEL}`);
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

declare global {
  // In the page: the completer that was there before any bad file.
  // eslint-disable-next-line no-var
  var completer: import('../../www/src/client/index.js').Completer;
}

const PREFIX = 'def add(a, b):\n    return ';
/** With the text before the caret alone the small model has an answer here. */
const FORMAT = 'prefix';

/** What the worker under test and the completer of the page answer: always the same. */
let expected: unknown;
async function stillWorks(): Promise<void> {
  const answer = await ask(page, {
    type: 'complete',
    request: { prefix: PREFIX, suffix: '', format: FORMAT },
  });
  expect(answer.type).toBe('completed');
  const { suggestions } = (answer as Extract<FromWorker, { type: 'completed' }>).result;
  expected ??= suggestions;
  expect(suggestions).toHaveLength(1);
  expect(suggestions).toEqual(expected);
  const byApi = await page.evaluate(
    ([prefix, format]) => globalThis.completer.complete(prefix, '', { format }),
    [PREFIX, FORMAT] as const,
  );
  expect(byApi.suggestions).toEqual(expected);
}

/**
 * Offers a file twice: to the worker that has the good model, as a second load, and to the API as a new
 * completer. Both must refuse it with the same fields.
 */
async function refusal(bad: Buffer): Promise<unknown> {
  const [byWorker, byApi] = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    const answer = await globalThis.request({
      type: 'load',
      model: { kind: 'blob', blob: new Blob([bytes]) },
    });
    const refused = await globalThis.midline
      .createCompleter({ model: bytes.buffer })
      .then(() => 'loaded')
      .catch(({ name, code, message, expected, found }) => ({ name, code, message, expected, found }));
    return [answer, refused];
  }, bad.toString('base64'));
  expect(byWorker).toMatchObject({ type: 'failed' });
  const { error } = byWorker as Extract<FromWorker, { type: 'failed' }>;
  expect(byApi).toEqual({ name: 'MidlineError', ...error });
  return error;
}

describe('a bad model', () => {
  it.each(BAD_MODELS)('%s', async (_, bad, code, expectedText, found) => {
    const matching = (text: string | RegExp) => (text instanceof RegExp ? expect.stringMatching(text) : text);
    expect(await refusal(bad)).toEqual({
      code,
      message: expect.any(String),
      expected: matching(expectedText),
      found: matching(found),
    });
    await stillWorks();
  });

  it('cut off at every structure, and anywhere else', async () => {
    const lengths = [
      ...layout.boundaries.flatMap((at) => [at - 1, at, at + 1]),
      ...layout.tensors.map((row) => layout.dataAt + Number(file.readBigUInt64LE(row.offsetAt)) + 1),
      file.length - 1,
    ];
    const unique = [...new Set(lengths)].filter((length) => length >= 0 && length < file.length);
    expect(unique.length).toBeGreaterThan(1000);
    const answers = await page.evaluate(
      async ([model, lengths]) => {
        const blob = await (await fetch(model)).blob();
        const answers: string[] = [];
        for (const length of lengths) {
          const part = { kind: 'blob', blob: blob.slice(0, length) };
          const answer = await globalThis.request({ type: 'load', model: part });
          if (answer.type !== 'failed') answers.push(`${length}: ${answer.type}`);
          else if (!answer.error.expected || !answer.error.found) answers.push(`${length}: not told`);
          else if (answer.error.code !== (length < 4 ? 'gguf-magic' : 'gguf-truncated'))
            answers.push(`${length}: ${answer.error.code}`);
        }
        return answers;
      },
      [`../models/${MODEL}`, unique] as const,
    );
    expect(answers).toEqual([]);
    await stillWorks();
  });

  it('leaves no worker behind', async () => {
    await expect.poll(() => page.workers().length).toBe(2); // the one under test and the completer's
  });

  it('is replaced by a good one in the same worker', async () => {
    const url = new URL(`models/${MODEL}`, `${site.url}/`).href;
    const loaded = await ask(page, { type: 'load', model: { kind: 'url', url } });
    expect(loaded).toMatchObject({ type: 'loaded', info: { name: 'Midline boot 5M' } });
    await stillWorks();
  });
});
