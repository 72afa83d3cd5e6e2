/** Both editors with the model of the repository: real suggestions, the same in both, accepted as shown. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launch, uncaughtErrors } from './support/browser.js';
import { EditorOnPage, editorsSite, openEditors, type Kind } from './support/editors.js';
import { MODEL, type Site } from './support/sites.js';

let browser: Browser;
let site: Site;
beforeAll(async () => {
  [browser, site] = await Promise.all([launch(), editorsSite()]);
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

const soon = { timeout: 20_000 };
const TYPED = ['const total = items.map((item) => item.', 'for (let i = 0; i < items.', 'const name = user.'];

/** What the model suggested for each text, having been accepted whole, by words, and gone through. */
async function session(kind: Kind): Promise<string[]> {
  const page = await browser.newPage();
  const errors = uncaughtErrors(page);
  await openEditors(page, site);
  const editor = new EditorOnPage(page, kind);
  const options = { model: `../models/${MODEL}`, beamWidth: 4, debounceMs: 40 };
  const said: string[] = [];
  await editor.open('|', {}, options);
  for (const typed of TYPED) {
    await page.evaluate(() => globalThis.editors.current?.set('// list.js\n|'));
    await editor.type(typed);
    await expect.poll(() => editor.ghost(), soon).not.toBe('');
    // What stands there for a while is the answer to the last key.
    let ghost = '';
    for (let now = await editor.ghost(); now !== ghost; now = await editor.ghost()) {
      ghost = now;
      await page.waitForTimeout(500);
    }
    const before = await editor.text();
    await editor.press('Tab');
    const after = before.replace('|', () => `${ghost.replaceAll('|', '')}|`);
    if (!ghost.includes('|')) await expect.poll(() => editor.text(), soon).toBe(after);
    said.push(ghost);
  }
  await page.evaluate(() => globalThis.editors.current?.set('const total = items.|'));
  await editor.run('trigger');
  await expect.poll(() => editor.ghost(), soon).not.toBe('');
  const seen = [await editor.ghost()];
  for (let i = 0; i < 2; i++) {
    await editor.run('next');
    await expect.poll(() => editor.ghost(), soon).not.toBe(seen.at(-1));
    seen.push(await editor.ghost());
  }
  expect(new Set(seen).size).toBeGreaterThan(1);
  await editor.run('acceptWord');
  await expect.poll(() => editor.text(), soon).not.toBe('const total = items.|');
  const word = (await editor.text()).slice('const total = items.'.length, -1);
  expect(seen.at(-1)?.startsWith(word)).toBe(true);
  expect(errors).toEqual([]);
  await page.close();
  return [...said, ...seen];
}

describe('the default model', () => {
  it('suggests the same in CodeMirror and in Monaco', async () => {
    const codemirror = await session('codemirror');
    expect(await session('monaco')).toEqual(codemirror);
  }, 180_000);
});
