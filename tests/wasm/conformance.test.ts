/**
 * The kernel test runner inside wasm, built by `.ci/build-wasm --conformance`: every kernel of every variant gives
 * the bits of its scalar twin, and together the digest that the native suite demands of all of them.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer } from '../../www/scripts/serve.mjs';
import { launch } from '../e2e/support/browser.js';
import type { Site } from '../e2e/support/sites.js';
import { repository } from './native.js';

interface ConformanceModule {
  default(options: { module_or_path: URL | Uint8Array }): Promise<unknown>;
  variant(): string;
  /** Gives the digest in hexadecimal; throws the first difference as text. */
  conformance_digest(variant: string): string;
}

const modules = join(repository, 'www/src/wasm/conformance');

/** The constant of the native tests, read from its source so that it stands in one place. */
function expectedDigest(): string {
  const source = readFileSync(join(repository, 'src/kernels/conformance.rs'), 'utf8');
  const digits = /const DIGEST: u64 = 0x([0-9a-f_]+);/.exec(source)?.[1];
  if (!digits) throw new Error('src/kernels/conformance.rs has no constant DIGEST');
  return digits.replaceAll('_', '').padStart(16, '0');
}

beforeAll(() => {
  if (!existsSync(modules)) throw new Error(`${modules} is missing: run .ci/build-wasm --conformance`);
});

describe('in Node', () => {
  let module: ConformanceModule;
  beforeAll(async () => {
    const directory = join(modules, 'simd128');
    module = (await import(pathToFileURL(join(directory, 'midline.js')).href)) as ConformanceModule;
    await module.default({ module_or_path: readFileSync(join(directory, 'midline_bg.wasm')) });
  });

  it.each(['scalar', 'simd128'])('%s gives the digest', (variant) => {
    expect(module.conformance_digest(variant)).toBe(expectedDigest());
  });

  it('has no kernels that it was not built with', () => {
    expect(() => module.conformance_digest('relaxed')).toThrow(/no kernels named relaxed/);
  });
});

describe('in Chromium', () => {
  let browser: Browser;
  let site: Site;
  beforeAll(async () => {
    const mounts = [
      { at: '/wasm/', directory: modules },
      { at: '/', directory: `${repository}tests/e2e/pages` },
    ];
    [browser, site] = await Promise.all([launch(), startServer({ mounts })]);
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  it.each([
    ['simd128', 'simd128'],
    ['relaxed', 'simd128'],
    ['relaxed', 'relaxed'],
  ])('the %s build: %s gives the digest', async (build, variant) => {
    const page = await browser.newPage();
    await page.goto(site.url);
    // As text: the test runner would rewrite the import of a function.
    const answer: unknown = await page.evaluate(`(async () => {
      const module = await import('/wasm/${build}/midline.js');
      await module.default({ module_or_path: new URL('/wasm/${build}/midline_bg.wasm', location.href) });
      return [module.variant(), module.conformance_digest('${variant}')];
    })()`);
    expect(answer).toEqual([build, expectedDigest()]);
    await page.close();
  });
});
