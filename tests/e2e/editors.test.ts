/** The same scripts in both editors, Monaco in the oldest and the newest version: real keys, and the same is to be seen. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { launch, uncaughtErrors } from './support/browser.js';
import { EditorOnPage, editorsSite, openEditors, type Kind, type MonacoPackage } from './support/editors.js';
import type { Site } from './support/sites.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
});

/** Start, answers of the completer, and steps: a key or `type …`, and what is to be seen then. */
type Script = [start: string, answers: Record<string, string[]>, steps: [action: string, seen: string][]];

const scripts: Record<string, Script> = {
  'type along, backspace, accept': [
    '|',
    { 'x.': ['length + 1'] },
    [
      ['type x.', 'x.[length + 1]|'],
      ['type len', 'x.len[gth + 1]|'],
      ['Backspace', 'x.le[ngth + 1]|'],
      ['Tab', 'x.length + 1|'],
    ],
  ],
  'word by word, then the rest': [
    '|',
    { 'x.': ['foo.bar(x, 1.5)'] },
    [
      ['type x.', 'x.[foo.bar(x, 1.5)]|'],
      ['acceptWord', 'x.foo[.bar(x, 1.5)]|'],
      ['acceptWord', 'x.foo.[bar(x, 1.5)]|'],
      ['acceptWord', 'x.foo.bar[(x, 1.5)]|'],
      ['acceptWord', 'x.foo.bar([x, 1.5)]|'],
      ['acceptWord', 'x.foo.bar(x[, 1.5)]|'],
      ['Tab', 'x.foo.bar(x, 1.5)|'],
    ],
  ],
  'line by line': [
    '|',
    { '// ': ['one\n// two\n// three'] },
    [
      ['type // ', '// [one\n// two\n// three]|'],
      ['acceptLine', '// one\n[// two\n// three]|'],
      ['acceptLine', '// one\n// two\n[// three]|'],
      ['Tab', '// one\n// two\n// three|'],
    ],
  ],
  'dismissed, and asked for again': [
    '|;',
    { 'x.': ['length'] },
    [
      ['type x.', 'x.[length]|;'],
      ['Escape', 'x.|;'],
      ['trigger', 'x.[length]|;'],
      ['Tab', 'x.length|;'],
    ],
  ],
  'dismissed, it does not come back with the next key': [
    '|',
    { 'x.': ['length'] },
    [
      ['type x.', 'x.[length]|'],
      ['Escape', 'x.|'],
      ['type l', 'x.l|'],
      ['type e', 'x.le|'],
    ],
  ],
  'the next one after the last word': [
    '|',
    { 'x.': ['foo bar'], bar: ['()'] },
    [
      ['type x.', 'x.[foo bar]|'],
      ['Control+ArrowRight', 'x.foo[ bar]|'],
      ['Control+ArrowRight', 'x.foo [bar]|'],
      ['Control+ArrowRight', 'x.foo bar[()]|'],
      ['Tab', 'x.foo bar()|'],
    ],
  ],
  'word by word through characters of several units': [
    '|;',
    { 'x ': ['e\u0301té👩‍🚀 👍🏽❤️.z 🇫🇷'] },
    [
      ['type x ', 'x [e\u0301té👩‍🚀 👍🏽❤️.z 🇫🇷]|;'],
      ['Control+ArrowRight', 'x e\u0301té👩‍🚀[ 👍🏽❤️.z 🇫🇷]|;'],
      ['Control+ArrowRight', 'x e\u0301té👩‍🚀 [👍🏽❤️.z 🇫🇷]|;'],
      ['Control+ArrowRight', 'x e\u0301té👩‍🚀 👍🏽❤️[.z 🇫🇷]|;'],
      ['type .', 'x e\u0301té👩‍🚀 👍🏽❤️.[z 🇫🇷]|;'],
      ['Tab', 'x e\u0301té👩‍🚀 👍🏽❤️.z 🇫🇷|;'],
    ],
  ],
  'several suggestions': [
    '|',
    { 'x.': ['one', 'two', 'three'] },
    [
      ['type x.', 'x.[one]|'],
      ['trigger', 'x.[one]|'],
      ['next', 'x.[two]|'],
      ['next', 'x.[three]|'],
      ['next', 'x.[one]|'],
      ['previous', 'x.[three]|'],
      ['Tab', 'x.three|'],
    ],
  ],
  'something else is typed': [
    '|',
    { 'x.': ['length'], 'x.m': ['ap'] },
    [
      ['type x.', 'x.[length]|'],
      ['type m', 'x.m[ap]|'],
      ['Tab', 'x.map|'],
    ],
  ],
  'the next one after an accept': [
    '|',
    { 'x.': ['map'], 'x.map': ['()'] },
    [
      ['type x.', 'x.[map]|'],
      ['Tab', 'x.map[()]|'],
      ['Tab', 'x.map()|'],
    ],
  ],
  'brackets that the editor closes': [
    'foo|',
    { foo: ['(a, b);'] },
    [
      ['trigger', 'foo[(a, b);]|'],
      ['type (', 'foo([a, b|;]|)'],
      ['Tab', 'foo(a, b);|'],
    ],
  ],
  'before other text only one line': [
    'f(|)',
    { 'f(x': [', y\n  z'] },
    [
      ['type x', 'f(x[, y]|)'],
      ['Tab', 'f(x, y|)'],
    ],
  ],
  'undo takes an accept back in one step': [
    '|',
    { 'x.': ['foo\n  .bar'] },
    [
      ['type x.', 'x.[foo\n  .bar]|'],
      ['Tab', 'x.foo\n  .bar|'],
      ['Control+z', 'text x.|'], // Monaco then shows the suggestion again
    ],
  ],
  'emoji and Hangul': [
    '// 😀|',
    { 한: ['글 = ä'] },
    [
      ['insert 한', '// 😀한[글 = ä]|'],
      ['Tab', '// 😀한글 = ä|'],
    ],
  ],
  'emoji in the suggestion': [
    '|;',
    { 'x(': ["'😀', '👩‍🚀 ok'"], 'y(': ["'😀"] },
    [
      ['type x(', "x(['😀', '👩‍🚀 ok']|);"],
      ['Tab', "x('😀', '👩‍🚀 ok'|);"],
      ['End', "x('😀', '👩‍🚀 ok');|"],
      ['type y(', "x('😀', '👩‍🚀 ok');y(['😀]|)"],
      ['Tab', "x('😀', '👩‍🚀 ok');y('😀|)"],
    ],
  ],
};

const COMMANDS = ['trigger', 'acceptWord', 'acceptLine', 'next', 'previous'] as const;

async function act(editor: EditorOnPage, action: string): Promise<void> {
  const command = COMMANDS.find((name) => name === action);
  if (command) return editor.run(command);
  if (action.startsWith('insert ')) return editor.page.keyboard.insertText(action.slice(7));
  return action.startsWith('type ') ? editor.type(action.slice(5)) : editor.press(action);
}

const cases: [string, Kind, MonacoPackage][] = [
  ['CodeMirror', 'codemirror', 'monaco-editor'],
  ['Monaco', 'monaco', 'monaco-editor'],
  ['Monaco 0.52', 'monaco', 'monaco-editor-0-52'],
];

describe.each(cases)('%s', (_, kind, version) => {
  let site: Site;
  let page: Page;
  let errors: string[];
  beforeAll(async () => {
    site = await editorsSite(version);
    page = await browser.newPage();
    errors = uncaughtErrors(page);
    await openEditors(page, site);
  });
  afterEach(() => {
    expect(errors).toEqual([]);
  });
  afterAll(async () => {
    await page?.close();
    await site?.close();
  });

  it.each(Object.entries(scripts))('%s', async (_, [start, answers, steps]) => {
    const editor = new EditorOnPage(page, kind);
    await editor.open(start, answers);
    for (const [action, seen] of steps) {
      await act(editor, action);
      const now = () => (seen.startsWith('text ') ? editor.text() : editor.seen());
      await expect.poll(now, { timeout: 8000 }).toBe(seen.replace(/^text /, ''));
    }
  });
});
