/** The page itself: narrow screens, both colour schemes, the keyboard, names for assistive technology. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launch } from './support/browser.js';
import { openPlayground, startDocument } from './support/playground.js';
import { playgroundSite, type Site } from './support/sites.js';

let browser: Browser;
let site: Site;
beforeAll(async () => {
  [browser, site] = await Promise.all([launch(), playgroundSite()]);
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

async function onPage(
  options: Parameters<Browser['newPage']>[0],
  test: (page: Page) => Promise<void>,
): Promise<void> {
  const page = await browser.newPage(options);
  try {
    await openPlayground(page, site.url);
    await test(page);
  } finally {
    await page.close();
  }
}

describe('the playground', () => {
  it.each([360, 768, 1440])('fits a width of %i without scrolling', async (width) => {
    await onPage({ viewport: { width, height: 640 } }, async (page) => {
      const outside = await page.evaluate(() =>
        [...document.querySelectorAll('header, header *, main, footer, footer *')]
          .filter((element) => element.getClientRects().length > 0)
          .filter((element) => {
            const { left, right, bottom } = element.getBoundingClientRect();
            return left < -1 || right > innerWidth + 1 || bottom > innerHeight + 1;
          })
          .map((element) => element.outerHTML.slice(0, 80)),
      );
      expect(outside).toEqual([]);
      const size = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      expect(size[0]).toBe(size[1]);
      const editor = await page.locator('.monaco-editor').first().boundingBox();
      expect(editor?.height).toBeGreaterThan(300);
    });
  });

  it('follows the colour scheme of the system, also when it changes', async () => {
    await onPage({ colorScheme: 'light' }, async (page) => {
      const backgrounds = () =>
        page.evaluate(() =>
          ['body', '.monaco-editor .monaco-editor-background'].map(
            (selector) => getComputedStyle(document.querySelector(selector) as Element).backgroundColor,
          ),
        );
      expect(await backgrounds()).toEqual(['rgb(252, 251, 249)', 'rgb(252, 251, 249)']);
      await page.emulateMedia({ colorScheme: 'dark' });
      await expect.poll(backgrounds).toEqual(['rgb(23, 24, 27)', 'rgb(23, 24, 27)']);
    });
  });

  it('can be used and left with the keyboard', async () => {
    await onPage({}, async (page) => {
      await startDocument(page, 'rust');
      await page.keyboard.press('Control+m'); // Monaco: Tab moves the focus from now on
      await page.keyboard.press('Shift+Tab');
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('model');
      await page.keyboard.press('Shift+Tab');
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('language');
      await page.keyboard.press('p');
      await expect
        .poll(() => page.evaluate(() => globalThis.playground.editor.getValue()))
        .toContain('class Rectangle');
    });
  });

  it('names its controls', async () => {
    await onPage({}, async (page) => {
      expect(await page.getByRole('combobox', { name: 'Language' }).count()).toBe(1);
      expect(await page.getByRole('combobox', { name: 'Model' }).count()).toBe(1);
      await expect.poll(() => page.getByRole('status').textContent()).toMatch(/^(Ready|Suggestion)/);
      expect(await page.getByRole('textbox', { name: /^Code editor/ }).count()).toBe(1);
    });
  });
});
