/**
 * How suggestions look, in both editors, dark and light: on one line, on several, before other text. They have the
 * font and the lines of the text around them, and contrast enough to be read. `MIDLINE_PICTURES` names a folder for
 * pictures of it all, to be looked at.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launch } from './support/browser.js';
import { EditorOnPage, editorsSite, openEditors, type Kind } from './support/editors.js';
import type { Site } from './support/sites.js';

let browser: Browser;
let site: Site;
let page: Page;
beforeAll(async () => {
  browser = await launch();
  site = await editorsSite();
  page = await browser.newPage({ viewport: { width: 560, height: 210 }, deviceScaleFactor: 2 });
  await openEditors(page, site);
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

/** Text before the key, the key, the answer. */
const STATES: Record<string, [start: string, key: string, answer: string]> = {
  'one-line': ['const names = users\n  |\nshow(names);', '.', 'map((user) => user.name)'],
  'several-lines': [
    'function total(items) {|\n\nshow(total(cart));',
    ' ',
    '\n  let sum = 0;\n  for (const item of items) sum += item.price;\n  return sum;\n}',
  ],
  'mid-line': ['const tax = rate(|) * total;\nshow(tax);', 'c', 'ountry, year'],
};

interface Look {
  readonly fonts: readonly string[];
  readonly contrast: number;
  readonly clipped: boolean;
}

/** Fonts of text and suggestion, the contrast of the suggestion on its background, whether any of it is cut off. */
function look(): Promise<Look> {
  return page.evaluate(() => {
    const GHOSTS = '.cm-ghostText, .ghost-text-decoration, .suggest-preview-text .view-line span span';
    const ghosts = [...document.querySelectorAll(GHOSTS)];
    const line = document.querySelector('.cm-line, .view-line') as Element;
    const numbers = (color: string): number[] => (color.match(/[\d.]+/g) ?? []).map(Number);
    const luminance = (rgb: number[]): number => {
      const [r = 0, g = 0, b = 0] = rgb.map((value) => {
        const part = value / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4; // WCAG 2, relative luminance
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const backgroundOf = (element: Element | null): number[] => {
      for (let at = element; at; at = at.parentElement) {
        const color = numbers(getComputedStyle(at).backgroundColor);
        if (color.length === 3) return color;
      }
      return [255, 255, 255];
    };
    const contrasts = ghosts.map((ghost) => {
      const background = backgroundOf(ghost);
      const [r = 0, g = 0, b = 0, alpha = 1] = numbers(getComputedStyle(ghost).color);
      const seen = [r, g, b].map((part, i) => alpha * part + (1 - alpha) * (background[i] as number));
      const [low = 0, high = 0] = [luminance(seen), luminance(background)].sort((a, b) => a - b);
      return (high + 0.05) / (low + 0.05);
    });
    const font = (element: Element): string => {
      // Monaco has its own slant for it.
      const { fontFamily, fontSize, lineHeight } = getComputedStyle(element);
      return [fontFamily, fontSize, lineHeight].join(' ');
    };
    const host = (document.querySelector('.host') as Element).getBoundingClientRect();
    return {
      fonts: [...new Set([line, ...ghosts].map(font))],
      contrast: Math.min(...contrasts),
      clipped: ghosts.some((ghost) => {
        const { bottom, right, height } = ghost.getBoundingClientRect();
        return height < 10 || bottom > host.bottom || right > host.right;
      }),
    };
  });
}

describe.each<[string, Kind]>([
  ['CodeMirror', 'codemirror'],
  ['Monaco', 'monaco'],
])('%s', (_, kind) => {
  it.each(
    Object.keys(STATES).flatMap((state) => [
      [state, 'light'],
      [state, 'dark'],
    ]),
  )('shows a suggestion %s, %s, as text that can be read', async (name, scheme) => {
    const [start, key, answer] = STATES[name] as [string, string, string];
    await page.emulateMedia({ colorScheme: scheme as 'light' | 'dark' });
    const editor = new EditorOnPage(page, kind);
    await editor.open(start, { [key]: [answer] }, { dark: scheme === 'dark' });
    await editor.type(key);
    const first = answer.split('\n').find((line) => line !== '') as string;
    await expect.poll(() => editor.ghost(), { timeout: 8000 }).toContain(first.trim());
    await page.waitForTimeout(200);
    const folder = process.env['MIDLINE_PICTURES'];
    if (folder) await page.screenshot({ path: `${folder}/${kind}-${name}-${scheme}.png` });
    const { fonts, contrast, clipped } = await look();
    expect(fonts).toHaveLength(1);
    // Monaco's colour is that of its theme.
    expect(contrast).toBeGreaterThanOrEqual(kind === 'codemirror' ? 4.5 : 3);
    expect(clipped).toBe(false);
  });
});
