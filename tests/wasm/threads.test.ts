/** Helper threads in Chromium: the same answers on any number of threads, and nothing of them is left behind. */
import type { Browser, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ISOLATION_HEADERS } from '../../www/scripts/serve.mjs';
import { launch } from '../e2e/support/browser.js';
import { openPackagePage, packageSite, type Site } from '../e2e/support/sites.js';
import type { CompletionRequest } from '../../www/src/client/protocol.js';
import type { CompleterOptions } from '../../www/src/client/types.js';
import { BOOT, completeNatively, modelFile, SMOLLM2 } from './native.js';
import { BEAM_PROMPTS, comparable, FEW_PROMPTS, PROMPTS } from './prompts.js';

let browser: Browser;
let isolated: Site;
let plain: Site;
let page: Page;
let cdp: CDPSession;
beforeAll(async () => {
  [browser, isolated, plain] = await Promise.all([launch(), packageSite(ISOLATION_HEADERS), packageSite()]);
  page = await browser.newPage();
  await openPackagePage(page, isolated);
  cdp = await browser.newBrowserCDPSession();
});
afterAll(async () => {
  await browser?.close();
  await isolated?.close();
  await plain?.close();
});

function complete(
  where: Page,
  model: string,
  options: Pick<CompleterOptions, 'threads' | 'variant'>,
  prompts: readonly CompletionRequest[],
) {
  return where.evaluate(
    async ([model, options, prompts]) => {
      const completer = await globalThis.midline.createCompleter({ model, ...options });
      const results = [];
      for (const { prefix, suffix, ...rest } of prompts) {
        results.push(await completer.complete(prefix, suffix, rest));
      }
      completer.dispose();
      return { threads: completer.info.threads, results };
    },
    [`../models/${model}`, options, prompts] as const,
  );
}

/** Workers of all pages, also those that workers started. */
async function workers(): Promise<number> {
  const { targetInfos } = await cdp.send('Target.getTargets', { filter: [{ type: 'worker' }] });
  return targetInfos.length;
}

describe.each([
  ['the small model', BOOT, [...PROMPTS, ...BEAM_PROMPTS]],
  ['SmolLM2', SMOLLM2, FEW_PROMPTS],
])('%s on an isolated page', (_, model, prompts) => {
  let expected: ReturnType<typeof comparable>[];
  beforeAll(() => {
    modelFile(model);
    expected = prompts.map((request) => comparable(completeNatively(request, model)));
  });

  it.each([
    [{ threads: 2 }, 2],
    [{ threads: 3, variant: 'simd128' }, 3],
    [{ threads: 1 }, 1],
  ] as const)('answers as the native build with %o', async (options, threads) => {
    const answer = await complete(page, model, options, prompts);
    expect(answer.threads.available).toBe(threads);
    expect(answer.results.map(({ stats }) => stats.threads)).toEqual(prompts.map(() => threads));
    expect(answer.results.map(comparable)).toEqual(expected);
  });

  it('answers the same with as many threads as it finds to pay', async () => {
    const answer = await complete(page, model, {}, prompts);
    const processors = await page.evaluate(() => navigator.hardwareConcurrency);
    expect(answer.threads.available).toBe(Math.min(processors, 4));
    for (const { stats } of answer.results) {
      expect(stats.threads).toBeGreaterThanOrEqual(1);
      expect(stats.threads).toBeLessThanOrEqual(answer.threads.available);
    }
    expect(answer.results.map(comparable)).toEqual(expected);
  });
});

describe('without threads', () => {
  it('a page that is not isolated says so and answers the same', async () => {
    const where = await browser.newPage();
    await openPackagePage(where, plain);
    const answer = await complete(where, BOOT, { threads: 2 }, FEW_PROMPTS);
    expect(answer.threads).toEqual({ available: 1, reason: 'not-isolated' });
    expect(answer.results.map(({ stats }) => stats.threads)).toEqual(FEW_PROMPTS.map(() => 1));
    expect(answer.results.map(comparable)).toEqual(FEW_PROMPTS.map((p) => comparable(completeNatively(p))));
    await where.close();
  });

  it('a page whose helpers cannot start says so and answers the same', async () => {
    const answer = await page.evaluate(
      async ([model, prompts]) => {
        // The package's worker, whose own workers get a script that the server does not have.
        const script = await (await fetch('../dist/client/worker.js')).text();
        const refused = JSON.stringify(new URL('missing.js', location.href));
        const workers = `globalThis.Worker = class extends Worker {
          constructor(_, options) { super(${refused}, options); }
        };`;
        const blob = new Blob([workers, script], { type: 'text/javascript' });
        const createWorker = () => new Worker(URL.createObjectURL(blob), { type: 'module' });
        const completer = await globalThis.midline.createCompleter({ model, threads: 2, createWorker });
        const results = [];
        for (const { prefix, suffix, ...rest } of prompts) {
          results.push(await completer.complete(prefix, suffix, rest));
        }
        completer.dispose();
        return { threads: completer.info.threads, results };
      },
      [`../models/${BOOT}`, FEW_PROMPTS] as const,
    );
    expect(answer.threads).toMatchObject({ available: 1, reason: 'helpers-failed' });
    expect(answer.results.map(({ stats }) => stats.threads)).toEqual(FEW_PROMPTS.map(() => 1));
    expect(answer.results.map(comparable)).toEqual(FEW_PROMPTS.map((p) => comparable(completeNatively(p))));
  });
});

describe('the end', () => {
  it('of fifty completers leaves no worker', async () => {
    await expect.poll(workers, { timeout: 20_000 }).toBe(0);
    for (let round = 0; round < 2; round++) {
      const alive = await page.evaluate(
        async ([model]) => {
          const options = { model, threads: 3 };
          const create = () => globalThis.midline.createCompleter(options);
          for (let i = 0; i < 24; i++) (await create()).dispose();
          const completer = await create();
          globalThis.midlineToDispose = () => completer.dispose();
          return completer.info.threads.available;
        },
        [`../models/${BOOT}`] as const,
      );
      expect(alive).toBe(3);
      await expect.poll(workers, { timeout: 20_000 }).toBe(3); // those of the one that lives
      await page.evaluate(() => globalThis.midlineToDispose?.());
      await expect.poll(workers, { timeout: 20_000 }).toBe(0);
    }
  });

  it('of a completer at work ends its helpers too', async () => {
    for (let i = 0; i < 2; i++) {
      const ended = await page.evaluate(
        async ([model]) => {
          const completer = await globalThis.midline.createCompleter({ model, threads: 2 });
          const answer = completer.complete('x = 1\n'.repeat(80), '').catch((error: Error) => error.message);
          await new Promise((resolve) => setTimeout(resolve, 20));
          completer.dispose();
          return await answer;
        },
        [`../models/${BOOT}`] as const,
      );
      expect(['string', 'object']).toContain(typeof ended);
      await expect.poll(workers, { timeout: 20_000 }).toBe(0);
    }
  });
});

declare global {
  // eslint-disable-next-line no-var
  var midlineToDispose: (() => void) | undefined;
}
