/** The playground as a person uses it: real keys, ghost text, Tab, the status line. */
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startServer } from '../../www/scripts/serve.mjs';
import { launch, uncaughtErrors } from './support/browser.js';
import {
  documentText,
  ghostText,
  openPlayground,
  startDocument,
  status,
  type,
} from './support/playground.js';
import { MODEL, playgroundSite, repository, type Site } from './support/sites.js';

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
});
afterEach(async () => {
  expect(errors).toEqual([]);
  await page.close();
});

/** What is typed in each language, where a completion is sure to be found. */
const TYPED = [
  { language: 'python', typed: 'def add(a, b):\nreturn ', document: 'def add(a, b):\n    return ' },
  {
    language: 'javascript',
    typed: 'const total = items.map((item) => item.',
    document: 'const total = items.map((item) => item.',
  },
  {
    language: 'typescript',
    typed: 'export function isEmpty(text: string): ',
    document: 'export function isEmpty(text: string): ',
  },
  { language: 'rust', typed: 'use std::collections::', document: 'use std::collections::' },
] as const;

/** Types, waits for ghost text and accepts it: the document must be what was typed plus what was shown. */
async function completeByTab({ language, typed, document }: (typeof TYPED)[number]): Promise<string> {
  await startDocument(page, language);
  await type(page, typed);
  const shown = await ghostText(page);
  expect(shown).toMatch(/[\w)]/);
  expect(await status(page, 'suggestion')).toMatch(/(\d+|–) tokens\/s .* (simd128|relaxed), 1 thread/);
  const before = await documentText(page);
  expect(before.startsWith(document)).toBe(true); // Monaco may have closed brackets after the caret
  await page.keyboard.press('Tab');
  await page.waitForFunction((text) => globalThis.playground.editor.getValue() !== text, before);
  const after = await documentText(page);
  expect(after).toBe(document + shown + before.slice(document.length));
  return shown;
}

describe('the first view', () => {
  it.each([
    ['python', 'height'],
    ['javascript', 'args) {'],
    ['typescript', 'head);'],
    ['rust', ''],
  ])('of %s shows a suggestion without a key', async (language, text) => {
    await openPlayground(page, site.url);
    await page.selectOption('#language', language);
    if (text) expect(await ghostText(page)).toBe(text);
    else
      expect(await page.locator('.suggest-preview-text').first().textContent()).toMatch(
        /type\sOutput\s=\sSelf;/,
      );
    const before = await documentText(page);
    await page.keyboard.press('Tab');
    await expect.poll(() => documentText(page)).not.toBe(before);
    expect((await documentText(page)).startsWith(before + text)).toBe(true);
  });
});

describe('typing and Tab', () => {
  it.each(TYPED)('completes $language', async (sample) => {
    await openPlayground(page, site.url);
    await completeByTab(sample);
  });

  it('goes on when the network is cut after loading', async () => {
    const own = await playgroundSite();
    await openPlayground(page, own.url);
    await own.close();
    for (const sample of TYPED) await completeByTab(sample);
  });

  it('works as plain files under any path', async () => {
    const own = await startServer({
      mounts: [{ at: '/some/where/', directory: `${repository}www/dist-playground` }],
    });
    await openPlayground(page, `${own.url}/some/where/`);
    await completeByTab(TYPED[0]);
    await own.close();
  });

  it('keeps CRLF line ends', async () => {
    await openPlayground(page, site.url);
    await startDocument(page, 'python');
    await page.evaluate(() => {
      const model = globalThis.playground.editor.getModel();
      model?.setEOL(globalThis.playground.monaco.editor.EndOfLineSequence.CRLF);
    });
    await type(page, TYPED[0].typed);
    const shown = await ghostText(page);
    await page.keyboard.press('Tab');
    await page.waitForFunction((text) => globalThis.playground.editor.getValue().endsWith(text), shown);
    expect(await documentText(page)).toBe(`def add(a, b):\r\n    return ${shown}`);
  });

  it('shows nothing new and leaves the document alone on Escape', async () => {
    await openPlayground(page, site.url);
    await startDocument(page, 'python');
    await type(page, TYPED[0].typed);
    await ghostText(page);
    await page.keyboard.press('Escape');
    await page.locator('.ghost-text-decoration').waitFor({ state: 'detached' });
    expect(await documentText(page)).toBe(TYPED[0].document);
  });

  it('goes on after a click on any line of a suggestion', async () => {
    await page.setViewportSize({ width: 1000, height: 500 });
    await openPlayground(page, site.url);
    await page.selectOption('#language', 'rust');
    const ghost = page.locator('.suggest-preview-text').first();
    await expect.poll(() => ghost.textContent()).toMatch(/type\sOutput\s=\sSelf;/);
    const before = await documentText(page);
    const { x, y } = (await ghost.boundingBox()) ?? { x: 0, y: 0 };
    expect(y).toBeGreaterThan(100);
    for (const [dx, dy] of [[60, 8] as const, [500, 8] as const]) {
      await page.mouse.click(x + dx, y + dy);
      await page.keyboard.type('z');
    }
    expect(await documentText(page)).toBe(`${before}zz`);
  });

  it('survives emoji, Hangul and a lone surrogate at the caret', async () => {
    await openPlayground(page, site.url);
    await startDocument(page, 'python');
    await page.keyboard.insertText('# 안녕하세요 😀\nname = "한');
    await page.evaluate(() => {
      const { editor, monaco } = globalThis.playground;
      const end = editor.getModel()?.getFullModelRange().getEndPosition();
      if (end) editor.executeEdits('test', [{ range: monaco.Range.fromPositions(end), text: '\ud83d' }]);
    });
    await type(page, '"\n');
    expect(await status(page, 'suggestion', 'nothing')).toMatch(/Suggestion|Nothing/);
  });
});

describe('the status line', () => {
  it('tells bytes and percent while loading, then ready', async () => {
    // Every text the line had, from the first moment on.
    await page.addInitScript(() => {
      const seen: string[] = [];
      Object.assign(globalThis, { seen });
      const note = (): void => {
        const text = document.querySelector('#status .message')?.textContent;
        if (text && text !== seen.at(-1)) seen.push(text);
      };
      new MutationObserver(note).observe(document, { subtree: true, childList: true, characterData: true });
    });
    await openPlayground(page, site.url);
    const seen = await page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen);
    expect(seen[0]).toBe('Starting…');
    expect(seen).toContainEqual(expect.stringMatching(/^Ready: /));
    const loading = seen.filter((text) => /: \d+\.\d of 3\.7 MB \(\d+ %\)$/.test(text));
    expect(loading.length).toBeGreaterThan(3);
    expect(loading.filter((text) => text.startsWith('Loading')).at(-1)).toContain('(100 %)');
  });

  it('says why nothing is shown', async () => {
    await openPlayground(page, site.url);
    await startDocument(page, 'python');
    await type(page, 'def f():\npass');
    await expect
      .poll(() => page.textContent('#status'), { timeout: 10_000 })
      .toContain('Nothing to suggest: the model proposed only white space');
    expect(await documentText(page)).toBe('def f():\n    pass');
    expect(await page.getAttribute('#status', 'data-state')).toBe('nothing');
    expect(await page.locator('.ghost-text-decoration, .suggest-preview-text').count()).toBe(0);
  });
});

describe('the model picker', () => {
  const upload = (name: string, bytes: Buffer): Promise<void> =>
    page.setInputFiles('#file', { name, mimeType: 'application/octet-stream', buffer: bytes });

  it('loads a file the user picks', async () => {
    await openPlayground(page, site.url);
    await upload('mine.gguf', readFileSync(`${repository}models/${MODEL}`));
    await expect
      .poll(() => page.textContent('#status .message'), { timeout: 20_000 })
      .toBe('Ready: mine.gguf');
    expect(await page.inputValue('#model')).toBe('file:mine.gguf');
    await completeByTab(TYPED[0]);
  });

  it('keeps an opened file: it can be chosen again', async () => {
    await openPlayground(page, site.url);
    const first = await page.inputValue('#model');
    const readyWith = (name: string) =>
      expect.poll(() => page.textContent('#status'), { timeout: 20_000 }).toContain(`Ready: ${name}`);
    await upload('mine.gguf', readFileSync(`${repository}models/${MODEL}`));
    await readyWith('mine.gguf');
    await page.selectOption('#model', first);
    await readyWith('Midline 5M');
    expect(await page.inputValue('#model')).toBe(first);
    await page.selectOption('#model', 'file:mine.gguf');
    await readyWith('mine.gguf');
    // A bad file of the same name changes nothing.
    await upload('mine.gguf', Buffer.from('not a model'));
    await status(page, 'error');
    expect(await page.inputValue('#model')).toBe('file:mine.gguf');
    await page.selectOption('#model', first);
    await readyWith('Midline 5M');
    await page.selectOption('#model', 'file:mine.gguf');
    await readyWith('mine.gguf');
  });

  it('is never blank, also when no model works', async () => {
    await page.route('**/models/*.gguf', (route) =>
      route.request().method() === 'HEAD' ? route.continue() : route.abort(),
    );
    await page.goto(site.url);
    expect(await status(page, 'error')).toContain('[offline]');
    const label = () =>
      page.$eval('#model', (select) => (select as HTMLSelectElement).selectedOptions[0]?.label);
    expect(await label()).toBe('No model');
    await upload('notes.gguf', Buffer.from('These are my notes, not a model.\n'));
    await expect.poll(() => page.textContent('#status')).toContain('[gguf-magic]');
    expect(await label()).toBe('No model');
    expect(await page.locator('#model option[value^="file:"]').count()).toBe(0);
  });

  it.each(['header', '#status', '#editor', 'body'])('opens a file dropped on %s', async (where) => {
    await openPlayground(page, site.url);
    const prevented = await drop(where, { name: 'dropped.gguf', text: 'no model' });
    expect(prevented).toEqual([true, true]);
    expect(await status(page, 'error')).toContain('[gguf-magic]');
    expect(page.url()).toBe(`${site.url}/`);
  });

  it('leaves text dropped on the editor to the editor, and stays where it is for links', async () => {
    await openPlayground(page, site.url);
    // Monaco itself takes what is dragged over it.
    expect(await drop('#editor .view-lines', { type: 'text/plain', text: 'x' })).toEqual([true, false]);
    for (const where of ['#editor .view-lines', 'header', '#status', 'body'])
      expect(await drop(where, { type: 'text/uri-list', text: 'https://a.test/' })).toEqual([true, true]);
    expect(await drop('header', { type: 'text/plain', text: 'x' })).toEqual([true, true]);
  });

  /** Drags something over an element and drops it; gives which of the two events the page took. */
  const drop = (where: string, what: { name: string; text: string } | { type: string; text: string }) =>
    page.locator(where).evaluate((target, what) => {
      const dataTransfer = new DataTransfer();
      if ('name' in what) dataTransfer.items.add(new File([what.text], what.name));
      else dataTransfer.setData(what.type, what.text);
      return ['dragover', 'drop'].map(
        (type) =>
          !target.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer })),
      );
    }, what);

  it('runs the larger model', async () => {
    await openPlayground(page, site.url);
    await page.selectOption('#model', 'smollm2-135m-instruct-q4_1');
    await expect
      // The title of the line stays; the message goes on to the first suggestion within a second.
      .poll(() => page.getAttribute('#status', 'title'), { timeout: 50_000 })
      .toMatch(/^SmolLM2 135M Instruct: .*2048 tokens of context/);
    await completeByTab(TYPED[0]);
  });

  it('tells what is wrong with a file, and the model before goes on', async () => {
    await openPlayground(page, site.url);
    const model = await page.inputValue('#model');
    await upload('notes.gguf', Buffer.from('These are my notes, not a model.\n'));
    const text = await status(page, 'error');
    expect(text).toContain('[gguf-magic]');
    expect(text.match(/expected/g)).toHaveLength(1);
    expect(await page.locator('#model option[value^="file:"]').count()).toBe(0);
    expect(await page.inputValue('#model')).toBe(model);
    await completeByTab(TYPED[0]);
  });

  it('offers no model whose file is not there', async () => {
    await page.route('**/models/manifest.json', async (route) => {
      const response = await route.fetch();
      const manifest = (await response.json()) as { models: object[] };
      manifest.models.push({ ...manifest.models[0], id: 'absent', name: 'Absent', file: 'absent.gguf' });
      await route.fulfill({ response, json: manifest });
    });
    await openPlayground(page, site.url);
    const option = page.locator('#model option[value="absent"]');
    expect(await option.evaluate((element: HTMLOptionElement) => element.disabled)).toBe(true);
    expect(await option.textContent()).toContain('models/fetch');
  });

  it('tells of a server without models', async () => {
    await page.route('**/models/manifest.json', (route) => route.fulfill({ status: 404 }));
    await page.goto(site.url);
    expect(await status(page, 'error')).toContain('404');
  });
});
