/** What people have reported of completion in editors, each as a test in both; the table is in tests/README.md. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { launch, uncaughtErrors } from './support/browser.js';
import { EditorOnPage, editorsSite, openEditors, type Kind } from './support/editors.js';
import type { Site } from './support/sites.js';

let browser: Browser;
let site: Site;
let page: Page;
let errors: string[];
beforeAll(async () => {
  browser = await launch();
  site = await editorsSite();
  page = await browser.newPage();
  errors = uncaughtErrors(page);
  await openEditors(page, site);
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});
afterEach(() => {
  expect(errors.splice(0)).toEqual([]);
});

const soon = { timeout: 8000 };
const ANSWERS = { 'x.': ['length + 1'], '.le': ['ngth + 1'] };

const kinds: [string, Kind][] = [
  ['CodeMirror', 'codemirror'],
  ['Monaco', 'monaco'],
];

describe.each(kinds)('in %s', (_, kind) => {
  let editor: EditorOnPage;
  beforeAll(() => {
    editor = new EditorOnPage(page, kind);
  });

  /** Types until the suggestion is there. */
  async function suggested(start = '|', options: Record<string, unknown> = {}): Promise<void> {
    await editor.open(start, ANSWERS, options);
    await editor.type('x.');
    await expect.poll(() => editor.ghost(), soon).toBe('length + 1');
  }

  it('T30: a suggestion that is shown and declined has changed nothing', async () => {
    await suggested('// é 한\n|;');
    await editor.press('Escape');
    await expect.poll(() => editor.ghost()).toBe('');
    expect(await editor.text()).toBe('// é 한\nx.|;');
  });

  it('T38: the caret stays before the suggestion', async () => {
    await suggested();
    const [caret, ghost] = await page.evaluate(() => {
      const left = (selector: string) => document.querySelector(selector)?.getBoundingClientRect().left;
      return [
        left('.cm-cursor-primary, .cursors-layer .cursor'),
        left('.cm-ghostText, .ghost-text-decoration'),
      ];
    });
    expect(caret).toBeDefined();
    expect(Math.abs((caret as number) - (ghost as number))).toBeLessThan(3);
  });

  it('T31: text behind the caret moves aside, nothing is drawn over it', async () => {
    await suggested('|;');
    const [ghost, after] = await page.evaluate(() => {
      const parts = [...document.querySelectorAll('.cm-ghostText, .ghost-text-decoration')];
      const range = document.createRange();
      const line = document.querySelector('.cm-line, .view-line') as Element;
      const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
      let right = 0;
      while (walker.nextNode())
        if (walker.currentNode.textContent?.includes(';')) {
          range.selectNodeContents(walker.currentNode);
          right = range.getBoundingClientRect().right;
        }
      return [parts.at(-1)?.getBoundingClientRect().right ?? 0, right];
    });
    expect(after).toBeGreaterThan(ghost);
  });

  it('T44: an accepted word inserts, and deletes nothing behind the caret', async () => {
    await suggested('|;');
    await editor.press('Control+ArrowRight');
    await expect.poll(() => editor.seen(), soon).toBe('x.length[ + 1]|;');
  });

  it('T48: moving the caret asks for nothing', async () => {
    await editor.open('x.|\nx. y', { 'x.': ['length'] });
    for (const key of ['ArrowDown', 'ArrowLeft', 'ArrowUp', 'End']) await editor.press(key);
    await page.waitForTimeout(400);
    expect(await editor.asked()).toEqual([]);
    expect(await editor.ghost()).toBe('');
  });

  it('B3.1: an answer for the place where the caret was is not shown where it is', async () => {
    await editor.open('|\n\ny', ANSWERS);
    await editor.script({ delayMs: 400 });
    await editor.type('x.');
    await expect.poll(async () => (await editor.asked()).length, soon).toBeGreaterThan(0);
    await editor.press('ArrowDown');
    await page.waitForTimeout(900);
    expect(await editor.seen()).toBe('x.\n|\ny');
  });

  it('T37: nothing is shown or asked for while an input method composes', async () => {
    await suggested();
    const asked = (await editor.asked()).length;
    const input = await page.context().newCDPSession(page);
    await input.send('Input.imeSetComposition', { text: 'に', selectionStart: 1, selectionEnd: 1 });
    await page.waitForTimeout(50);
    await input.send('Input.imeSetComposition', { text: 'にほ', selectionStart: 2, selectionEnd: 2 });
    await page.waitForTimeout(400);
    expect(await editor.ghost()).toBe('');
    expect((await editor.asked()).length).toBe(asked);
    await editor.script({ answers: { 日本: ['語'] } });
    await input.send('Input.insertText', { text: '日本' });
    await input.detach();
    await expect.poll(() => editor.text(), soon).toBe('x.日本|');
    if (kind === 'codemirror') await expect.poll(() => editor.ghost(), soon).toBe('語');
  });

  it('T47: in a narrow editor that wraps, a long suggestion wraps with the line', async () => {
    await page.setViewportSize({ width: 320, height: 500 });
    const long =
      'value.that(is, much, longer).than(the, editor).is(wide)\n  .and(another, line, that, is, long, too, and, more)';
    await editor.open('|', { 'x.': [long] }, { wrap: true });
    await editor.type('x.');
    await expect.poll(() => editor.ghost(), soon).toContain('value.that');
    const outside = await page.evaluate(() =>
      [...document.querySelectorAll('.cm-ghostText')].filter(
        (part) => part.getBoundingClientRect().right > innerWidth,
      ),
    );
    expect(outside).toEqual([]);
    await editor.press('Tab');
    await expect.poll(() => editor.text(), soon).toBe(`x.${long}|`);
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  it('T51: two editors do not share suggestions, and both work', async () => {
    await suggested();
    await page.evaluate((kind) => globalThis.editors.openAlso(kind, '|', { shared: true }), kind);
    await editor.script({ answers: { 'y.': ['other'] } });
    await editor.type('y.');
    await expect.poll(() => editor.ghost(), soon).toBe('other');
    await editor.press('Tab');
    await expect.poll(() => editor.text(), soon).toBe('y.other|');
    const first = await page.evaluate(() => {
      const { all } = globalThis.editors;
      globalThis.editors.current = all[0];
      all[0]?.focus();
      return all[0]?.text();
    });
    expect(first).toBe('x.|');
    await editor.script({ answers: { 'x.m': ['ap'] } });
    await editor.type('m');
    await expect.poll(() => editor.ghost(), soon).toBe('ap');
  });

  it('T50: a key that goes elsewhere accepts nothing', async () => {
    await suggested();
    await page.evaluate(() => {
      const input = document.body.appendChild(document.createElement('input'));
      input.focus();
    });
    await editor.press('Tab');
    expect(await editor.text()).toBe('x.|');
    await page.evaluate(() => document.querySelector('body > input')?.remove());
  });

  it('a completer that rejects, hangs or answers late changes nothing, and the next key is answered', async () => {
    await editor.open('|', ANSWERS, { onEvent: undefined });
    for (const behaviour of ['reject', 'hang', 'ignore-abort'] as const) {
      await editor.script({ behaviour, delayMs: 200 });
      await editor.type('x.');
      await page.waitForTimeout(300);
    }
    await editor.type(' x');
    await editor.script({ behaviour: 'answer', delayMs: 0 });
    await editor.type('.');
    await expect.poll(() => editor.seen(), soon).toBe('x.x.x. x.[length + 1]|');
  });

  it('an editor that is closed while it waits is left alone', async () => {
    await editor.open('|', ANSWERS);
    await editor.script({ delayMs: 300 });
    await editor.type('x.');
    await expect.poll(async () => (await editor.asked()).at(-1)?.prefix, soon).toBe('x.');
    await page.evaluate(() => globalThis.editors.close());
    await page.waitForTimeout(500);
    expect((await editor.asked()).at(-1)?.aborted).toBe(true);
  });

  it('a document that is replaced under a suggestion takes it along', async () => {
    await suggested();
    await page.evaluate(() => globalThis.editors.current?.set('another text|'));
    await expect.poll(() => editor.seen(), soon).toBe('another text|');
    await editor.press('Escape');
    expect(await editor.text()).toBe('another text|');
  });

  it('in a document that cannot be written nothing is suggested', async () => {
    await editor.open('x.|', ANSWERS, { readOnly: true });
    await editor.type('x.');
    await editor.run('trigger');
    await page.waitForTimeout(300);
    expect(await editor.seen()).toBe('x.|');
  });

  it.each([
    ['50,000 lines', `${'const value = compute(1);\n'.repeat(25_000)}|\n${'last();\n'.repeat(25_000)}`],
    ['one line of 1 MB', `${'x'.repeat(500_000)} |;${'y'.repeat(500_000)}`],
  ])('of %s it completes, and sends no more than what is near', async (_, text) => {
    await editor.open(text, ANSWERS);
    await editor.type('x.');
    await expect.poll(async () => (await editor.asked()).length, { timeout: 20_000 }).toBeGreaterThan(0);
    // Monaco draws no more than the start of a very long line; the suggestion is there all the same.
    const isDrawn = kind === 'codemirror' || text.includes('\n');
    if (isDrawn) await expect.poll(() => editor.ghost(), soon).toBe('length + 1');
    else await page.waitForTimeout(500);
    const asked = (await editor.asked()).at(-1);
    expect(asked?.prefix.length).toBeLessThanOrEqual(65_536);
    expect(asked?.suffix.length).toBeLessThanOrEqual(16_384);
    await editor.press('Tab');
    await expect.poll(async () => (await editor.text()).includes('x.length + 1|'), soon).toBe(true);
  });
});
