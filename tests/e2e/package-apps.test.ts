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
import { appSite, fresh, installFresh, script, tool } from './support/apps.js';
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

const policy = (script: string): Record<string, string> => ({
  'content-security-policy': `default-src 'none'; script-src 'self' 'wasm-unsafe-eval' ${script}; worker-src 'self'; connect-src 'self'; img-src data:`,
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

describe('the installed package', () => {
  it('works on the development server of Vite', async () => {
    const models = await appSite('vite');
    const server = spawn(process.execPath, ['dev.js', models.url], {
      cwd: `${fresh}/vite`,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const [line] = (await once(server.stdout, 'data')) as [Buffer];
      await expectAnswer(String(line).trim());
    } finally {
      server.kill();
      await models.close();
    }
  });

  it('can be imported where there is no browser, and says so when it is used', async () => {
    const { createCompleter, MidlineError } = (await import(
      /* @vite-ignore */ `${fresh}/node_modules/midline/dist/index.js`
    )) as typeof import('../../www/src/client/index.js');
    const error = await createCompleter({ model: 'https://models.test/m.gguf' }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(MidlineError);
    expect(error).toMatchObject({ code: 'unsupported-browser' });
  });
});
