/**
 * The shorter list in every engine: load, the same tokens and scores as the native build to the bit, accept in the
 * editor, the death of a worker, and what happens where an engine lacks something.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ISOLATION_HEADERS } from '../../www/scripts/serve.mjs';
import type { CompletionResult } from '../../www/src/client/types.js';
import { completeNatively } from '../wasm/native.js';
import { BEAM_PROMPTS, comparable, PROMPTS } from '../wasm/prompts.js';
import { editorsSite } from './support/editors.js';
import { ENGINES, launchEngine, missing, until, type Engine, type TestPage } from './support/engines.js';
import { MODEL, packageSite, type Site } from './support/sites.js';

const model = `../models/${MODEL}`;
/** Every format, several chunks, other scripts, a wide beam. */
const SAMPLE = [0, 6, 7, 8, 11, 15, 17].map((i) => PROMPTS[i] as (typeof PROMPTS)[number]);
const prompts = [...SAMPLE, BEAM_PROMPTS[0] as (typeof PROMPTS)[number]];

/** The build that an engine is expected to choose by itself, and whether it has the other one. */
const BUILD = { chromium: 'relaxed', firefox: 'relaxed', webkit: 'simd128' } as const;

const absent = ENGINES.filter((name) => missing(name));

it('every engine is there, or its absence is said aloud; never in continuous integration', () => {
  const reasons = absent.map((name) => `${name} IS NOT TESTED: ${missing(name)}`);
  for (const reason of reasons) console.warn(reason);
  if (/^(true|1)$/.test(process.env['CI'] ?? '')) expect(reasons).toEqual([]);
  expect(absent).not.toContain('chromium');
});

let expected: ReturnType<typeof comparable>[];
beforeAll(() => {
  expected = prompts.map((request) => comparable(completeNatively(request)));
});

describe.each(ENGINES.filter((name) => !missing(name)))('%s', (name) => {
  let engine: Engine;
  let site: Site;
  beforeAll(async () => {
    site = await packageSite({
      ...ISOLATION_HEADERS,
      'content-security-policy':
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; img-src data:",
    });
    engine = await launchEngine(name);
  });
  afterAll(async () => {
    await engine?.close();
    await site?.close();
  });

  async function onPage(test: (page: TestPage) => Promise<void>): Promise<void> {
    const page = await engine.open();
    try {
      await page.goto(`${site.url}/app/`);
      await until(page, () => 'midline' in globalThis, null);
      await test(page);
    } finally {
      await page.close();
    }
  }

  it.each(['by itself', 'simd128', 'relaxed'] as const)(
    'answers as the native build, or says why not, with the build chosen: %s',
    async (build) => {
      await onPage(async (page) => {
        const answer = await page.evaluate(
          async ([model, build, prompts]) => {
            try {
              const variant = build === 'by itself' ? {} : { variant: build };
              const completer = await globalThis.midline.createCompleter({ model, ...variant });
              const results: CompletionResult[] = [];
              for (const { prefix, suffix, ...options } of prompts) {
                results.push(await completer.complete(prefix, suffix, options));
              }
              completer.dispose();
              return { results };
            } catch (error) {
              const { code, expected, found } = error as Record<string, string>;
              return { error: { code, expected, found } };
            }
          },
          [model, build, prompts] as const,
        );
        if (build === 'relaxed' && BUILD[name] !== 'relaxed') {
          expect(answer.error).toEqual({
            code: 'unsupported-browser',
            expected: 'WebAssembly with relaxed SIMD',
            found: 'WebAssembly without it',
          });
          return;
        }
        expect(answer.error).toBeUndefined();
        const variant = build === 'by itself' ? BUILD[name] : build;
        expect(new Set(answer.results?.map(({ stats }) => stats.variant))).toEqual(new Set([variant]));
        expect(answer.results?.map(comparable)).toEqual(expected);
      });
    },
  );

  it('tells of a worker that ends or fails, and starts another', async () => {
    await onPage(async (page) => {
      const deaths = await page.evaluate(async (model) => {
        const workers: Worker[] = [];
        const completer = await globalThis.midline.createCompleter({
          model,
          createWorker: () => {
            const worker = new Worker(new URL('./mortal-worker.js', location.href), { type: 'module' });
            workers.push(worker);
            return worker;
          },
        });
        const ask = () => completer.complete('x = ', '', { maxNewTokens: 4 });
        const first = await ask();
        const deaths: { code: unknown; again: boolean; workers: number }[] = [];
        for (const type of ['close', 'throw']) {
          const long = 'value = compute(first, second)\n'.repeat(2000);
          const pending = completer.complete(long, '', { maxNewTokens: 200, beamWidth: 8 }).then(
            () => 'completed',
            (error: { code?: string }) => error.code,
          );
          workers.at(-1)?.postMessage({ type });
          const code = await pending;
          const { suggestions } = await ask();
          const again = JSON.stringify(suggestions) === JSON.stringify(first.suggestions);
          deaths.push({ code, again, workers: workers.length });
        }
        completer.dispose();
        return deaths;
      }, model);
      expect(deaths).toEqual([
        { code: 'worker-died', again: true, workers: 2 },
        { code: 'worker-died', again: true, workers: 3 },
      ]);
    });
  });

  it.each(['monaco', 'codemirror'] as const)(
    'shows a suggestion in %s and accepts it with Tab',
    async (kind) => {
      const editors = await editorsSite();
      const page = await engine.open();
      try {
        await page.goto(`${editors.url}/editors/index.html`);
        await until(page, () => 'editors' in globalThis, null);
        await page.evaluate(
          async ([kind, model]) =>
            void (await globalThis.editors.open(kind, '|', { model, format: 'prefix' })),
          [kind, model] as const,
        );
        const typed = 'const total = items.';
        await page.type(typed);
        const seen = () =>
          page.evaluate(() => {
            const { current } = globalThis.editors;
            return { text: current?.text() ?? '', ghost: current?.ghost().trimEnd() ?? '' };
          }, null);
        await until(page, () => (globalThis.editors.current?.ghost().trim() ?? '') !== '', null);
        const { text, ghost } = await seen();
        expect(text).toBe(`${typed}|`);
        await page.press('Tab');
        const accepted = `${typed}${ghost}|`;
        await until(page, (accepted) => globalThis.editors.current?.text() === accepted, accepted);
      } finally {
        await page.close();
        await editors.close();
      }
    },
  );
});
