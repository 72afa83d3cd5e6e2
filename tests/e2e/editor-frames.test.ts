/** Frame by frame: typing into a suggestion never shows a frame without it, nor text that jumps. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launch, uncaughtErrors } from './support/browser.js';
import { EditorOnPage, editorsSite, openEditors, type Kind } from './support/editors.js';
import type { Site } from './support/sites.js';

let browser: Browser;
let site: Site;
let page: Page;
beforeAll(async () => {
  browser = await launch();
  site = await editorsSite();
  page = await browser.newPage();
  await openEditors(page, site);
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

/** What one frame showed. */
interface Frame {
  /** The caret's line as it was drawn, the suggestion included. */
  readonly line: string;
  /** The suggested lines below it. */
  readonly ghost: string;
  /** Where the line below the suggestion was, in pixels. */
  readonly below: number | undefined;
}

declare global {
  // In the page.
  // eslint-disable-next-line no-var
  var seenFrames: Frame[];
}

/** Notes every frame from now on, when all that is done for it is done. */
async function watch(kind: Kind): Promise<void> {
  await page.evaluate((kind) => {
    const seen: Frame[] = [];
    globalThis.seenFrames = seen;
    const selector = kind === 'monaco' ? '.view-lines > .view-line' : '.cm-line';
    const top = (element: Element | undefined) => element?.getBoundingClientRect().top;
    const note = (): void => {
      const { current } = globalThis.editors;
      if (!current || globalThis.seenFrames !== seen) return;
      // Monaco keeps the elements of lines in no order.
      const lines = [...document.querySelectorAll(selector)].sort((a, b) => (top(a) ?? 0) - (top(b) ?? 0));
      const line = lines[0]?.textContent?.replaceAll('\u00a0', ' ') ?? '';
      const ghost = current.ghost().split('\n').slice(1).join('\n');
      seen.push({ line, ghost, below: top(lines.find((each) => each.textContent === 'last')) });
    };
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = note;
    const next = (): void => {
      port2.postMessage(0);
      if (globalThis.seenFrames === seen) requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  }, kind);
}

/** Ends the watch and gives what was seen, each different frame once. */
async function seen(): Promise<{ readonly count: number; readonly frames: Frame[] }> {
  const all = await page.evaluate(() => {
    const frames = globalThis.seenFrames;
    globalThis.seenFrames = [];
    return frames;
  });
  const frames = [...new Set(all.map((frame) => JSON.stringify(frame)))];
  return { count: all.length, frames: frames.map((frame) => JSON.parse(frame) as Frame) };
}

describe.each<[string, Kind]>([
  ['CodeMirror', 'codemirror'],
  ['Monaco', 'monaco'],
])('in %s', (_, kind) => {
  const FIRST = 'items.map((item) => item.name)';
  const REST = '  .join()';
  const SUGGESTED = `${FIRST}\n${REST}`;

  it('a suggestion that is typed along is in every frame, and the line below stays where it is', async () => {
    const errors = uncaughtErrors(page);
    const editor = new EditorOnPage(page, kind);
    await editor.open('|\nlast', { 'x = ': [SUGGESTED] });
    await editor.type('x = ');
    await expect.poll(() => editor.ghost(), { timeout: 8000 }).toBe(SUGGESTED);
    const asked = (await editor.asked()).length;
    await page.waitForTimeout(200);
    await watch(kind);
    const typed = 'items.map';
    for (const key of typed) await editor.type(key, 30);
    for (let i = 0; i < 4; i++) await editor.press('Backspace');
    await expect.poll(() => editor.ghost()).toBe(SUGGESTED.slice(5));
    const { count, frames } = await seen();
    expect(count).toBeGreaterThan(5);
    // What is typed and what is suggested are the same line in all of them.
    expect(frames.map(({ line, ghost }) => [line, ghost])).toEqual([[`x = ${FIRST}`, REST]]);
    expect((await editor.asked()).length).toBe(asked);
    expect(errors).toEqual([]);
  });

  it('after an accepted word the rest is in every frame', async () => {
    const editor = new EditorOnPage(page, kind);
    await editor.open('|\nlast', { 'x = ': [SUGGESTED] });
    await editor.type('x = ');
    await expect.poll(() => editor.ghost(), { timeout: 8000 }).toBe(SUGGESTED);
    await page.waitForTimeout(200);
    await watch(kind);
    for (let i = 0; i < 3; i++) {
      await editor.run('acceptWord');
      await page.waitForTimeout(60);
    }
    await expect.poll(() => editor.text()).toBe('x = items.map|\nlast');
    const { count, frames } = await seen();
    expect(count).toBeGreaterThan(5);
    expect(frames.map(({ line, ghost }) => [line, ghost])).toEqual([[`x = ${FIRST}`, REST]]);
  });
});
