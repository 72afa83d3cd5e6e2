/** CodeMirror beside its own parts: closed brackets, the popup, snippets, several selections, history, screen readers. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type * as autocomplete from '@codemirror/autocomplete';
import type { EditorState } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { launch, uncaughtErrors } from './support/browser.js';
import { EditorOnPage, editorsSite, openEditors } from './support/editors.js';
import type { Site } from './support/sites.js';

declare global {
  // What the page leaves for tests.
  // eslint-disable-next-line no-var
  var view: EditorView;
  // eslint-disable-next-line no-var
  var codemirror: {
    readonly EditorState: typeof EditorState;
    readonly EditorView: typeof EditorView;
    readonly snippet: typeof autocomplete.snippet;
  };
}

let browser: Browser;
let site: Site;
let page: Page;
let errors: string[];
let editor: EditorOnPage;
beforeAll(async () => {
  browser = await launch();
  site = await editorsSite();
  page = await browser.newPage();
  errors = uncaughtErrors(page);
  await openEditors(page, site);
  editor = new EditorOnPage(page, 'codemirror');
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});
afterEach(() => {
  expect(errors.splice(0)).toEqual([]);
});

const soon = { timeout: 8000 };
const ANSWERS = { 'x.': ['length'], pop: ['ulation = 1'] };
const popups = () => page.locator('.cm-tooltip-autocomplete').count();

async function suggested(options: Record<string, unknown> = {}): Promise<void> {
  await editor.open('|', ANSWERS, options);
  await editor.type('x.');
  await expect.poll(() => editor.ghost(), soon).toBe('length');
}

describe('beside the popup', () => {
  it('T58: the suggestion gives way to it and comes back, and Enter takes the item of the popup', async () => {
    await editor.open('|', ANSWERS);
    await editor.type('po');
    await editor.type('p');
    await expect.poll(popups, soon).toBe(1);
    await expect.poll(async () => (await editor.asked()).length, soon).toBeGreaterThan(0);
    expect(await editor.ghost()).toBe('');
    await editor.press('Escape');
    await expect.poll(popups, soon).toBe(0);
    await expect.poll(() => editor.ghost(), soon).toBe('ulation = 1');
    await editor.press('Control+ ');
    await expect.poll(popups, soon).toBe(1);
    await expect.poll(() => editor.ghost()).toBe('');
    await page.waitForTimeout(100); // the popup lets keys through when it has just opened
    await editor.press('Enter');
    await expect.poll(() => editor.text(), soon).toBe('popcorn|');
  });
});

describe('keys', () => {
  it('go on where there is nothing to do', async () => {
    await editor.open('ab|\ncd', {});
    await editor.press('Tab');
    expect(await editor.text()).toBe('  ab|\ncd');
    await editor.press('Home');
    await editor.press('Control+ArrowRight');
    expect(await editor.text()).toMatch(/^ {2}ab\|/);
  });

  it('T49: Tab indents where the suggestion came too late to be seen, and in the indentation', async () => {
    await suggested({ acceptDelayMs: 60_000 });
    await editor.press('Tab');
    expect(await editor.text()).toBe('  x.|');
    await editor.open('|', { '': ['    deep'], 'a\n': ['    deep'] });
    await editor.type('a\n');
    await expect.poll(() => editor.ghost(), soon).toBe('    deep');
    await editor.press('Tab');
    expect(await editor.text()).toBe('a\n  |');
  });

  it('in a snippet go to the next field', async () => {
    await editor.open('|', ANSWERS);
    await page.evaluate(() => {
      const { snippet } = globalThis.codemirror;
      snippet('for (${a} of ${b}) {}')(globalThis.view, null, 0, 0);
    });
    await editor.type('x.');
    await expect.poll(() => editor.ghost(), soon).toBe('length');
    await editor.press('Tab');
    await expect.poll(() => page.evaluate(() => globalThis.view.state.selection.main.empty)).toBe(false);
    expect(await editor.text()).toContain('for (x. of b');
  });

  it('all of them work', async () => {
    await editor.open('|', { 'x.': ['one two\n three', 'other'] });
    await editor.type('x.');
    await expect.poll(() => editor.ghost(), soon).toBe('one two\n three');
    await editor.press('Alt+]');
    await expect.poll(() => editor.ghost(), soon).toBe('other');
    await editor.press('Alt+[');
    await expect.poll(() => editor.ghost(), soon).toBe('one two\n three');
    await editor.press('Control+ArrowRight');
    expect(await editor.text()).toBe('x.one|');
    await editor.press('Control+Alt+ArrowRight');
    expect(await editor.text()).toBe('x.one two\n|');
    await editor.press('Escape');
    expect(await editor.seen()).toBe('x.one two\n|');
  });
});

describe('closed brackets', () => {
  it('stay closed once, and typing over them goes on working', async () => {
    await editor.open('f|', { f: ['(a, b);'] });
    await editor.run('trigger');
    await expect.poll(() => editor.ghost(), soon).toBe('(a, b);');
    await editor.type('(a');
    expect(await editor.seen()).toBe('f(a[, b|;]|)');
    await editor.type(', b)');
    expect(await editor.seen()).toBe('f(a, b)[;]|');
    await editor.press('Tab');
    expect(await editor.text()).toBe('f(a, b);|');
  });
});

describe('an accept', () => {
  it('is one step of the history, and one transaction', async () => {
    await editor.open('|', { 'x.': ['one\ntwo\nthree'] });
    await editor.type('x.');
    await expect.poll(() => editor.ghost(), soon).toBe('one\ntwo\nthree');
    await editor.press('Tab');
    expect(await editor.text()).toBe('x.one\ntwo\nthree|');
    await editor.press('Control+z');
    expect(await editor.text()).toBe('x.|');
    await editor.press('Control+y');
    expect(await editor.text()).toBe('x.one\ntwo\nthree|');
  });
});

describe('nothing is suggested', () => {
  it('for several selections, and what is shown goes', async () => {
    await suggested({ multiple: true });
    await page.evaluate(() => {
      const { view } = globalThis;
      const { EditorSelection } = { EditorSelection: view.state.selection.constructor as never } as {
        EditorSelection: typeof import('@codemirror/state').EditorSelection;
      };
      const ranges = [EditorSelection.cursor(0), EditorSelection.cursor(2)];
      view.dispatch({ selection: EditorSelection.create(ranges) });
    });
    expect(await editor.ghost()).toBe('');
    const asked = (await editor.asked()).length;
    await editor.type('x.');
    await page.waitForTimeout(300);
    expect((await editor.asked()).length).toBe(asked);
    await editor.run('trigger');
    expect((await editor.asked()).length).toBe(asked);
  });

  it('without the focus', async () => {
    await suggested();
    await page.evaluate(() => globalThis.view.contentDOM.blur());
    await expect.poll(() => editor.ghost(), soon).toBe('');
  });
});

describe('drawing', () => {
  it('between right-to-left text keeps the order of both', async () => {
    await editor.open('"שלום |" + y', { 'שלום x.': ['length'] });
    await editor.type('x.');
    await expect.poll(() => editor.seen(), soon).toBe('"שלום x.[length]|" + y');
    await editor.press('Tab');
    expect(await editor.text()).toBe('"שלום x.length|" + y');
  });

  it('without drawn selections leaves the browser’s caret before the suggestion', async () => {
    await suggested({ native: true });
    const inGhost = await page.evaluate(() => {
      const { anchorNode } = getSelection() ?? {};
      return anchorNode?.parentElement?.closest('.cm-ghostText') != null;
    });
    expect(inGhost).toBe(false);
    await editor.type('l');
    expect(await editor.seen()).toBe('x.l[ength]|');
  });

  it('of several lines has their height, and leaves the caret’s line where it is', async () => {
    await editor.open('top\n|\nlast', { 'x.': ['one\ntwo\nthree'] });
    const tops = () =>
      page.$$eval('.cm-line', (lines) => lines.map((line) => Math.round(line.getBoundingClientRect().top)));
    await editor.type('x');
    const before = await tops();
    await editor.type('.');
    await expect.poll(() => editor.ghost(), soon).toBe('one\ntwo\nthree');
    const after = await tops();
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
    const line = (before[1] as number) - (before[0] as number);
    expect(Math.abs((after[2] as number) - (before[2] as number) - 2 * line)).toBeLessThan(4);
  });
});

describe('a screen reader', () => {
  it('T57: hears the suggestion, and each further one', async () => {
    await editor.open('|', { 'x.': ['one', 'two'] });
    await editor.type('x.');
    const announced = () => page.textContent('.cm-announced');
    await expect.poll(announced, soon).toBe('Suggestion: one');
    await editor.press('Alt+]');
    await expect.poll(announced, soon).toBe('Suggestion 2 of 2: two');
    expect(await page.getAttribute('.cm-ghostText', 'aria-hidden')).toBe('true');
  });
});

describe('the end', () => {
  it('of a view leaves no listener that would answer', async () => {
    await suggested();
    await editor.script({ delayMs: 200, answers: { z: ['y'] } });
    await editor.type('z');
    await page.waitForTimeout(80);
    await page.evaluate(() => globalThis.editors.close());
    await page.waitForTimeout(400);
  });

  it('a hundred times, with a question out, leaves no listener and no element', async () => {
    const devtools = await page.context().newCDPSession(page);
    const held = async () => {
      await page.evaluate(() => globalThis.editors.close());
      await devtools.send('HeapProfiler.collectGarbage');
      const { jsEventListeners, nodes } = await devtools.send('Memory.getDOMCounters');
      return { jsEventListeners, nodes };
    };
    const mount = (times: number) =>
      page.evaluate(async (times) => {
        const { editors } = globalThis;
        editors.scripted.reset({ x: ['y'] });
        editors.scripted.behaviour = 'hang';
        for (let i = 0; i < times; i++) {
          await editors.open('codemirror', 'x|');
          editors.current?.run('trigger');
          await new Promise((resolve) => setTimeout(resolve));
        }
        return editors.scripted.asked.length;
      }, times);
    await mount(10);
    const before = await held();
    expect(await mount(100)).toBe(100);
    const after = await held();
    expect((await editor.asked()).every(({ aborted }) => aborted)).toBe(true);
    // A hundred that were kept would hold thousands.
    expect(after.jsEventListeners - before.jsEventListeners).toBeLessThan(50);
    expect(after.nodes - before.nodes).toBeLessThan(500);
    await devtools.detach();
  });
});
