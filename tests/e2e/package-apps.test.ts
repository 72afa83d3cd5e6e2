/** The packed package in fresh applications: every bundler, no bundler, a strict policy; each answers as native does. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CompletionResult } from '../../www/src/client/types.js';
import { completeNatively } from '../wasm/native.js';
import { comparable } from '../wasm/prompts.js';
import { appSite, fresh, installed, installFresh, script, tool } from './support/apps.js';
import { launch, uncaughtErrors } from './support/browser.js';

declare global {
  // What the applications leave for the test.
  // eslint-disable-next-line no-var
  var complete: (prefix: string, suffix: string, options?: object) => Promise<CompletionResult>;
}

const request = {
  prefix: 'def add(a, b):\n    return ',
  suffix: '',
  format: 'prefix',
  beamWidth: 2,
} as const;

let browser: Browser;
let expected: ReturnType<typeof comparable>;
beforeAll(async () => {
  installFresh();
  expected = comparable(completeNatively(request));
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
});

/** Opens the application and has it complete; nothing may be left uncaught, missing or forbidden. */
async function expectAnswer(url: string): Promise<void> {
  const page = await browser.newPage();
  const complaints = uncaughtErrors(page);
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
  });
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  try {
    await page.goto(url);
    await page
      .waitForFunction(() => 'complete' in globalThis, undefined, { timeout: 30_000 })
      .catch(() => {
        throw new Error(`${url} loads no model: ${complaints.join('\n')}`);
      });
    const answer = await page.evaluate(
      ({ prefix, suffix, ...options }) => globalThis.complete(prefix, suffix, options),
      request,
    );
    expect(comparable(answer)).toEqual(expected);
    expect(complaints).toEqual([]);
  } finally {
    await page.close();
  }
}

const policy = (script: string, further = ''): Record<string, string> => ({
  'content-security-policy': `default-src 'none'; script-src 'self' 'wasm-unsafe-eval' ${script}; worker-src 'self'; connect-src 'self'; img-src data:; ${further}`,
});

async function expectAnswerFrom(folder: string, scriptSource = ''): Promise<void> {
  const site = await appSite(folder, policy(scriptSource));
  try {
    await expectAnswer(`${site.url}/`);
  } finally {
    await site.close();
  }
}

describe('the installed package, under a policy without unsafe-eval,', () => {
  it('works in a Vite application', async () => {
    tool('vite', 'vite', 'build');
    await expectAnswerFrom('vite/dist');
  });

  it('works in a webpack application', async () => {
    script('webpack', 'build.js');
    await expectAnswerFrom('webpack');
  });

  it('works in a Rollup application', async () => {
    tool('rollup', 'rollup', '-c');
    await expectAnswerFrom('rollup');
  });

  it('works in an esbuild application', async () => {
    const entries = ['main=main.js', 'worker=midline/worker'];
    const options = ['--bundle', '--format=esm', '--target=es2022', '--loader:.wasm=file', '--outdir=dist'];
    tool('esbuild', 'esbuild', ...entries, ...options);
    await expectAnswerFrom('esbuild');
  });

  it('works in a page without a bundler, by an import map', async () => {
    const html = readFileSync(`${fresh}/plain/index.html`, 'utf8');
    const map = /<script type="importmap">([^]*?)<\/script>/.exec(html)?.[1] ?? '';
    const hash = createHash('sha256').update(map).digest('base64');
    await expectAnswerFrom('plain', `'sha256-${hash}'`);
  });
});

/** Runs the development server of Vite in one of the applications. */
async function withDevServer(app: string, test: (url: string) => Promise<void>): Promise<void> {
  const models = await appSite(app);
  const server = spawn(process.execPath, [`${fresh}/vite/dev.js`, models.url], {
    cwd: `${fresh}/${app}`,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line] = (await once(server.stdout, 'data')) as [Buffer];
    await test(String(line).trim());
  } finally {
    server.kill();
    await models.close();
  }
}

/** Types into the editor of the React application, accepts what is suggested, and unmounts it. */
async function expectEditor(url: string): Promise<void> {
  const page = await browser.newPage();
  const errors = uncaughtErrors(page);
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  try {
    await page.goto(url);
    await page.waitForFunction(() => 'ready' in globalThis, undefined, { timeout: 30_000 });
    await page.click('.cm-content');
    /** The document and the suggestion; both are text of the same element. */
    const seen = () =>
      page.evaluate(() => {
        const copy = document.querySelector('.cm-content')?.cloneNode(true) as Element;
        const ghosts = [...copy.querySelectorAll('.cm-ghostText')];
        const ghost = ghosts.map((element) => element.textContent).join('');
        for (const element of ghosts) element.remove();
        return { text: copy.textContent, ghost };
      });
    await page.keyboard.type('import os; os.path.');
    await page.waitForSelector('.cm-ghostText', { timeout: 30_000 });
    const { text, ghost } = await seen();
    await page.waitForTimeout(100); // longer than the delay before an accept
    await page.keyboard.press('Tab');
    await expect.poll(async () => (await seen()).text).toBe(text + ghost);
    await page.evaluate(() => (globalThis as unknown as { unmount(): void }).unmount());
    expect(page.workers()).toHaveLength(1); // the completer is the page's
    expect(await page.locator('.cm-editor').count()).toBe(0);
    expect(errors).toEqual([]);
  } finally {
    await page.close();
  }
}

describe('the recipe for React with CodeMirror', () => {
  it('works on the development server, where every component is mounted twice', async () => {
    await withDevServer('react', expectEditor);
  });

  it('works as it is built, under a policy without unsafe-eval', async () => {
    tool('react', 'vite', 'build');
    const site = await appSite('react/dist', policy('', "style-src 'unsafe-inline'")); // for CodeMirror
    try {
      await expectEditor(`${site.url}/`);
    } finally {
      await site.close();
    }
  });

  it('is the one in the documentation', () => {
    const recipe = readFileSync(`${fresh}/react/editor.jsx`, 'utf8').replace(/^\/\*\*.*\n/, '');
    expect(readFileSync(`${installed}/docs/codemirror.md`, 'utf8')).toContain(`\`\`\`jsx\n${recipe}\`\`\``);
  });
});

describe('the installed package', () => {
  it('works on the development server of Vite', async () => {
    await withDevServer('vite', expectAnswer);
  });

  it('can be imported where there is no browser, and says so when it is used', async () => {
    const { createCompleter, MidlineError } = (await import(
      /* @vite-ignore */ `${installed}/dist/index.js`
    )) as typeof import('../../www/src/client/index.js');
    const error = await createCompleter({ model: 'https://models.test/m.gguf' }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(MidlineError);
    expect(error).toMatchObject({ code: 'unsupported-browser' });
  });
});
