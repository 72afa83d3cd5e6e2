/** The playground with CodeMirror: the same text, the same suggestions, real keys. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EditorView } from '@codemirror/view';
import { launch, uncaughtErrors } from './support/browser.js';
import { ghostText, openPlayground, status } from './support/playground.js';
import { playgroundSite, type Site } from './support/sites.js';

let browser: Browser;
let site: Site;
let page: Page;
let errors: string[];
beforeAll(async () => {
  [browser, site] = await Promise.all([launch(), playgroundSite()]);
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});
beforeEach(async () => {
  page = await browser.newPage();
  errors = uncaughtErrors(page);
  await openPlayground(page, site.url);
  await page.selectOption('#kind', 'codemirror');
  await page.locator('.cm-content').waitFor();
});
afterEach(async () => {
  expect(errors).toEqual([]);
  await page.close();
});

/** First on the caret's line, then below it. */
const ghost = async (): Promise<string> => (await page.locator('.cm-ghostText').allTextContents()).join('\n');
const text = () =>
  page.evaluate(() => (globalThis as unknown as { codemirror: EditorView }).codemirror.state.doc.toString());
const soon = { timeout: 20_000 };

describe('CodeMirror in the playground', () => {
  it('shows what Monaco showed, and the text goes along both ways', async () => {
    await page.selectOption('#kind', 'monaco');
    const shown = await ghostText(page);
    await page.selectOption('#kind', 'codemirror');
    await expect.poll(ghost, soon).toBe(shown);
    const before = await text();
    await page.waitForTimeout(200); // a person has to see it first
    await page.keyboard.press('Tab');
    await expect.poll(text).toBe(`${before}${shown}`);
    await page.selectOption('#kind', 'monaco');
    await expect
      .poll(() => page.evaluate(() => globalThis.playground.editor.getValue()))
      .toBe(`${before}${shown}`);
    expect(await page.locator('.cm-editor').isVisible()).toBe(false);
    await page.keyboard.type('!');
    await page.selectOption('#kind', 'codemirror');
    await expect.poll(text).toBe(`${before}${shown}!`);
  });

  it.each(['python', 'javascript', 'typescript', 'rust'])('completes %s with Tab', async (language) => {
    await page.selectOption('#language', language);
    await expect.poll(ghost, soon).not.toBe('');
    const [before, shown] = [await text(), await ghost()];
    await page.waitForTimeout(200); // a person has to see it first
    await page.keyboard.press('Tab');
    await expect.poll(text).not.toBe(before);
    expect((await text()).startsWith(before)).toBe(true);
    const added = (await text()).slice(before.length).trimStart(); // it may begin with a line break
    expect(added.startsWith((shown.split('\n')[0] ?? '').trimStart())).toBe(true);
  });

  it('says in the status line what it does, and goes on with another model', async () => {
    expect(await status(page, 'suggestion')).toContain('Suggestion');
    await page.setInputFiles('#file', {
      name: 'notes.gguf',
      mimeType: 'application/octet-stream',
      buffer: Buffer.from('not a model'),
    });
    expect(await status(page, 'error')).toContain('[gguf-magic]');
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' * self.');
    await expect.poll(ghost, soon).not.toBe('');
  });

  it.each(['light', 'dark'] as const)('has the colours of a %s system', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    const background = () =>
      page.evaluate(() => getComputedStyle(document.querySelector('.cm-editor') as Element).backgroundColor);
    await expect.poll(background).toBe(colorScheme === 'light' ? 'rgb(252, 251, 249)' : 'rgb(23, 24, 27)');
  });
});
