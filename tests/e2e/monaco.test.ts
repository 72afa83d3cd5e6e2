/** Monaco beside its own parts: the suggest widget, models that come and go, CRLF, the end of a registration. */
import type { Browser, Page } from 'playwright-core';
import type * as Monaco from 'monaco-editor';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { launch, uncaughtErrors } from './support/browser.js';
import { EditorOnPage, editorsSite, openEditors } from './support/editors.js';
import type { Site } from './support/sites.js';

declare global {
  // What the page leaves for tests.
  // eslint-disable-next-line no-var
  var monaco: typeof Monaco;
  // eslint-disable-next-line no-var
  var editor: Monaco.editor.IStandaloneCodeEditor;
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
  editor = new EditorOnPage(page, 'monaco');
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});
afterEach(() => {
  expect(errors.splice(0)).toEqual([]);
});

const soon = { timeout: 8000 };

describe('beside the suggest widget', () => {
  it('T46: the suggestion continues the selected item, and is the plain one when the widget is closed', async () => {
    await editor.open('|', { popcorn: ['(1)'], popular: ['(2)'], pop: ['ulation'] });
    await page.evaluate(() => {
      const { monaco } = globalThis;
      const { Keyword } = monaco.languages.CompletionItemKind;
      monaco.languages.registerCompletionItemProvider('javascript', {
        provideCompletionItems: (model, position) => {
          const { startColumn, endColumn } = model.getWordUntilPosition(position);
          const { lineNumber } = position;
          const line = { startLineNumber: lineNumber, endLineNumber: lineNumber };
          const range = { ...line, startColumn, endColumn };
          const labels = ['popcorn', 'popular'];
          return {
            suggestions: labels.map((label) => ({ label, insertText: label, kind: Keyword, range })),
          };
        },
      });
      globalThis.editor.updateOptions({ suggest: { preview: true } });
    });
    await editor.type('pop');
    await expect.poll(() => editor.ghost(), soon).toBe('ulation');
    await page.evaluate(() => globalThis.editor.trigger('test', 'editor.action.triggerSuggest', {}));
    await page.locator('.suggest-widget.visible').waitFor();
    await expect
      .poll(async () => (await editor.asked()).map(({ prefix }) => prefix), soon)
      .toContain('popcorn');
    await expect.poll(() => editor.ghost(), soon).toBe('corn(1)');
    await editor.press('ArrowDown');
    await expect.poll(() => editor.ghost(), soon).toBe('ular(2)');
    expect(await editor.text()).toBe('pop|');
    await editor.press('Escape');
    await expect.poll(() => editor.seen(), soon).toBe('pop[ulation]|');
  });
});

describe('a model', () => {
  it('that is taken away while it waits leaves nothing, and works again when it is back', async () => {
    await editor.open('|', { 'x.': ['length'] });
    await editor.script({ delayMs: 300 });
    await editor.type('x.');
    await expect.poll(async () => (await editor.asked()).at(-1)?.prefix, soon).toBe('x.');
    await page.evaluate(async () => {
      const { editor } = globalThis;
      const model = editor.getModel();
      editor.setModel(null);
      await new Promise((resolve) => setTimeout(resolve, 500));
      editor.setModel(model);
      editor.setPosition({ lineNumber: 1, column: 3 });
      editor.focus();
    });
    expect(await editor.text()).toBe('x.|');
    await editor.script({ delayMs: 0, answers: { 'x.m': ['ap'] } });
    await editor.type('m');
    await expect.poll(() => editor.seen(), soon).toBe('x.m[ap]|');
  });

  it('that is disposed under a suggestion takes it along', async () => {
    await editor.open('|', { 'x.': ['length'] });
    await editor.type('x.');
    await expect.poll(() => editor.ghost(), soon).toBe('length');
    await page.evaluate(() => {
      globalThis.editor.getModel()?.dispose();
      globalThis.editor.setModel(globalThis.monaco.editor.createModel('y', 'javascript'));
      globalThis.editor.setPosition({ lineNumber: 1, column: 2 });
      globalThis.editor.focus();
    });
    await editor.script({ answers: { 'y.': ['other'] } });
    await editor.type('.');
    await expect.poll(() => editor.ghost(), soon).toBe('other');
  });

  it('T36: with CRLF keeps it, also in what is typed along and accepted by lines', async () => {
    await editor.open('a\n|', { 'x.': ['one\n  two\n  three'] }, { eol: 'CRLF' });
    await editor.type('x.');
    await expect.poll(() => editor.ghost(), soon).toBe('one\n  two\n  three');
    await editor.type('one');
    await editor.run('acceptLine');
    await expect.poll(() => editor.text(), soon).toBe('a\nx.one\n|');
    await expect.poll(() => editor.ghost(), soon).toContain('two');
    await editor.press('Tab');
    const value = () => page.evaluate(() => globalThis.editor.getModel()?.getValue());
    await expect.poll(value, soon).toBe('a\r\nx.one\r\n  two\r\n  three');
  });
});
