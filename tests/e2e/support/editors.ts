/** The page with both editors: built from the package's own files, Monaco from its own distribution. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startServer } from '../../../www/scripts/serve.mjs';
import type { Command } from '../pages/editors/editor.js';
import type { Editors } from '../pages/editors/page.js';
import { repository, type Site } from './sites.js';

declare global {
  // In the page.
  // eslint-disable-next-line no-var
  var editors: Editors;
}

export type Kind = 'monaco' | 'codemirror';
export type MonacoPackage = 'monaco-editor' | 'monaco-editor-0-52';

const www = `${repository}www/`;

export async function editorsSite(monaco: MonacoPackage = 'monaco-editor'): Promise<Site> {
  const directory = mkdtempSync(join(tmpdir(), 'midline-editors-'));
  const { rolldown } = await import('../../../www/node_modules/rolldown/dist/index.mjs');
  const bundle = await rolldown({
    cwd: www,
    input: `${repository}tests/e2e/pages/editors/page.ts`,
    platform: 'browser',
    // The package is not part of the bundle: the page imports what was built, as it was built.
    external: /^midline(\/monaco)?$/,
    resolve: {
      modules: [`${www}node_modules`],
      alias: { 'midline/codemirror': `${www}dist/codemirror/index.js` },
    },
  });
  await bundle.write({
    file: join(directory, 'page.js'),
    format: 'esm',
    paths: { midline: '../dist/index.js', 'midline/monaco': '../dist/monaco/index.js' },
  });
  await bundle.close();
  cpSync(`${repository}tests/e2e/pages/editors/index.html`, join(directory, 'index.html'));
  const server = await startServer({
    mounts: [
      { at: '/dist/', directory: `${www}dist` },
      { at: '/models/', directory: `${repository}models` },
      { at: '/editors/vs/', directory: `${www}node_modules/${monaco}/min/vs` },
      { at: '/editors/', directory },
    ],
  });
  return {
    url: server.url,
    async close() {
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Opens the page. */
export async function openEditors(page: Page, site: Site): Promise<void> {
  await page.goto(`${site.url}/editors/index.html`);
  await page.waitForFunction(() => 'editors' in globalThis);
}

/** One editor of the page, as a test uses it. */
export class EditorOnPage {
  constructor(
    readonly page: Page,
    readonly kind: Kind,
  ) {}

  /** Opens the editor with `text` (`|` is the caret) and a completer that answers as written. */
  async open(
    text: string,
    answers: Record<string, readonly string[]> = {},
    options: Record<string, unknown> = {},
  ): Promise<void> {
    await this.page.evaluate(
      async ([kind, text, answers, options]) => {
        globalThis.editors.scripted.reset(answers);
        await globalThis.editors.open(kind, text, options);
      },
      [this.kind, text, answers, options] as const,
    );
  }

  text(): Promise<string> {
    return this.page.evaluate(() => globalThis.editors.current?.text() ?? '');
  }

  ghost(): Promise<string> {
    return this.page.evaluate(() => globalThis.editors.current?.ghost() ?? '');
  }

  /** Document, caret and suggestion: `foo[bar]|baz`. */
  async seen(): Promise<string> {
    const [text, ghost] = [await this.text(), await this.ghost()];
    return ghost === '' ? text : text.replace('|', () => `[${ghost}]|`);
  }

  run(command: Command): Promise<void> {
    return this.page.evaluate((command) => globalThis.editors.current?.run(command), command);
  }

  async type(text: string, delay = 5): Promise<void> {
    await this.page.keyboard.type(text, { delay });
  }

  press(key: string): Promise<void> {
    return this.page.keyboard.press(key);
  }

  /** What the completer was asked. */
  asked() {
    return this.page.evaluate(() => globalThis.editors.scripted.asked.map((each) => ({ ...each })));
  }

  script(change: Partial<Pick<Editors['scripted'], 'delayMs' | 'behaviour' | 'answers'>>): Promise<void> {
    return this.page.evaluate((change) => void Object.assign(globalThis.editors.scripted, change), change);
  }
}
