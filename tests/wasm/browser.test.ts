/** Both builds in Chromium, by the package's own worker, against the native build: the same answers to the bit. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launch } from '../e2e/support/browser.js';
import { openPackagePage, packageSite, type Site } from '../e2e/support/sites.js';
import type { CompletionRequest } from '../../www/src/client/protocol.js';
import { BOOT, completeNatively, modelFile, SMOLLM2 } from './native.js';
import { BEAM_PROMPTS, comparable, FEW_PROMPTS, PROMPTS } from './prompts.js';

let browser: Browser;
let site: Site;
let page: Page;
beforeAll(async () => {
  [browser, site] = await Promise.all([launch(), packageSite()]);
  page = await browser.newPage();
  await openPackagePage(page, site);
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

function completeInPage(
  model: string,
  variant: 'simd128' | 'relaxed',
  prompts: readonly CompletionRequest[],
) {
  return page.evaluate(
    async ([model, variant, prompts]) => {
      const completer = await globalThis.midline.createCompleter({ model, variant });
      const results = [];
      for (const { prefix, suffix, ...options } of prompts) {
        results.push(await completer.complete(prefix, suffix, options));
      }
      completer.dispose();
      return results;
    },
    [`../models/${model}`, variant, prompts] as const,
  );
}

describe.each([
  ['the small model', BOOT, [...PROMPTS, ...BEAM_PROMPTS]],
  ['SmolLM2', SMOLLM2, FEW_PROMPTS],
])('%s in Chromium', (_, model, prompts) => {
  let expected: ReturnType<typeof comparable>[];
  beforeAll(() => {
    modelFile(model);
    expected = prompts.map((request) => comparable(completeNatively(request, model)));
  });

  it.each(['simd128', 'relaxed'] as const)('answers as the native build with %s', async (variant) => {
    const results = await completeInPage(model, variant, prompts);
    expect(new Set(results.map(({ stats }) => stats.variant))).toEqual(new Set([variant]));
    expect(results.map(comparable)).toEqual(expected);
  });
});
