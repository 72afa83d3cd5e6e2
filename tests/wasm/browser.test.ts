/** Both builds in Chromium, by the package's own worker, against the native build. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launch } from '../e2e/support/browser.js';
import { MODEL, openPackagePage, packageSite, type Site } from '../e2e/support/sites.js';
import { completeNatively } from './native.js';
import { comparable, PROMPTS } from './prompts.js';

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

describe.each(['simd128', 'relaxed'] as const)('the %s build in Chromium', (variant) => {
  it('answers every prompt as the native build', async () => {
    const results = await page.evaluate(
      async ([model, variant, prompts]) => {
        const completer = await globalThis.midline.createCompleter({ model, variant });
        const results = [];
        for (const { prefix, suffix, ...options } of prompts) {
          results.push(await completer.complete(prefix, suffix, options));
        }
        completer.dispose();
        return results;
      },
      [`../models/${MODEL}`, variant, PROMPTS] as const,
    );
    expect(new Set(results.map(({ stats }) => stats.variant))).toEqual(new Set([variant]));
    expect(results.map(comparable)).toEqual(PROMPTS.map((request) => comparable(completeNatively(request))));
  });
});
