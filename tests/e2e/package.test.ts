/** The built package in plain pages: with and without isolation headers, under a strict policy, and its promises. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ISOLATION_HEADERS } from '../../www/scripts/serve.mjs';
import { launch, uncaughtErrors } from './support/browser.js';
import { LARGER_MODEL, MODEL, openPackagePage, packageSite, type Site } from './support/sites.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
});

/** Runs `test` in a fresh page on a site with `headers`; nothing may be left uncaught. */
async function onSite(
  headers: Record<string, string>,
  test: (page: Page, site: Site) => Promise<void>,
): Promise<void> {
  const site = await packageSite(headers);
  const page = await browser.newPage();
  const errors = uncaughtErrors(page);
  try {
    await openPackagePage(page, site);
    await test(page, site);
    expect(errors).toEqual([]);
  } finally {
    await page.close();
    await site.close();
  }
}

const PREFIX = 'def add(a, b):\n    return ';
const model = `../models/${MODEL}`;

describe('a plain module script', () => {
  const sites: [string, Record<string, string>, boolean][] = [
    ['without isolation headers', {}, false],
    ['with isolation headers', ISOLATION_HEADERS, true],
    [
      'under a policy without unsafe-eval',
      {
        'content-security-policy':
          "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'",
      },
      false,
    ],
  ];
  it.each(sites)('%s loads a model and completes', async (_, headers, isolated) => {
    await onSite(headers, async (page) => {
      const answer = await page.evaluate(
        async ([model, prefix]) => {
          const seen: { phase: string; loadedBytes: number; totalBytes: number | null }[] = [];
          const completer = await globalThis.midline.createCompleter({
            model,
            onProgress: (progress) => seen.push(progress),
          });
          const result = await completer.complete(prefix, '', { languageId: 'python', format: 'prefix' });
          const tokens = await completer.tokenize(prefix);
          return { info: completer.info, result, tokens, seen, isolated: crossOriginIsolated };
        },
        [model, PREFIX] as const,
      );
      expect(answer.isolated).toBe(isolated);
      expect(answer.info).toMatchObject({ architecture: 'llama', vocabSize: 8192, contextTokens: 512 });
      expect(answer.result.suggestions).toHaveLength(1);
      expect(answer.result.suggestions[0]?.text).toMatch(/^\S/);
      expect(answer.result.suggestions[0]?.score).toBeLessThan(0);
      expect(answer.result.stats).toMatchObject({ variant: 'relaxed', format: 'prefix' });
      const { threads } = answer.info;
      if (!isolated) expect(threads).toEqual({ available: 1, reason: 'not-isolated' });
      expect(answer.result.stats.threads).toBeGreaterThanOrEqual(1);
      expect(answer.result.stats.threads).toBeLessThanOrEqual(threads.available);
      expect(answer.tokens.length).toBeGreaterThan(5);
      expect(answer.seen.filter(({ phase }) => phase === 'download').at(-1)?.loadedBytes).toBe(3_681_056);
      expect(answer.seen.at(-1)).toMatchObject({ phase: 'load' });
    });
  });

  it('runs the variant it is told to, with the same answer', async () => {
    await onSite({}, async (page) => {
      const results = await page.evaluate(
        async ([model, prefix]) => {
          const ask = async (variant: 'simd128' | 'relaxed') => {
            const completer = await globalThis.midline.createCompleter({ model, variant });
            return completer.complete(prefix, '', { languageId: 'python' });
          };
          return Promise.all([ask('simd128'), ask('relaxed')]);
        },
        [model, PREFIX] as const,
      );
      expect(results.map(({ stats }) => stats.variant)).toEqual(['simd128', 'relaxed']);
      expect(results[0]?.suggestions).toEqual(results[1]?.suggestions);
    });
  });
});

describe('a policy', () => {
  const refused: [string, string, string, RegExp][] = [
    ['that forbids to compile wasm', "script-src 'self'", 'unsupported-browser', /wasm-unsafe-eval/],
    ['that forbids workers', "script-src 'self' 'wasm-unsafe-eval'; worker-src 'none'", 'offline', /policy/],
  ];
  it.each(refused)('%s is named in the error', async (_, policy, code, expected) => {
    await onSite({ 'content-security-policy': policy }, async (page) => {
      const error = await page.evaluate(
        (model) =>
          globalThis.midline
            .createCompleter({ model })
            .then(() => ({}) as Record<string, string>)
            .catch(({ code, expected }: Record<string, string>) => ({ code, expected })),
        model,
      );
      expect(error).toMatchObject({ code, expected: expect.stringMatching(expected) });
    });
  });
});

describe('promises', () => {
  it('of an aborted completion reject at once, and the engine stops', async () => {
    await onSite({}, async (page) => {
      const answer = await page.evaluate(async (model) => {
        const completer = await globalThis.midline.createCompleter({ model });
        const long = 'value = compute(first, second)\n'.repeat(400); // several seconds of reading
        const abort = new AbortController();
        const name = completer.complete(long, '', { signal: abort.signal }).then(
          () => 'completed',
          (error: unknown) => (error instanceof DOMException ? error.name : String(error)),
        );
        await new Promise((resolve) => setTimeout(resolve, 400)); // in the middle of it
        const abortedAt = performance.now();
        abort.abort();
        const outcome = await name;
        const rejectedMs = performance.now() - abortedAt;
        await completer.tokenize('x'); // answered when the engine is free again
        const freeMs = performance.now() - abortedAt;
        const again = await completer.complete(long, '', { maxNewTokens: 1 });
        completer.dispose();
        return { outcome, rejectedMs, freeMs, again: again.stats };
      }, `../models/${LARGER_MODEL}`);
      expect(answer.outcome).toBe('AbortError');
      expect(answer.rejectedMs).toBeLessThan(50);
      // It stopped in the middle of the prompt: a part was read, most was not.
      const { promptTokens, reusedTokens, prefillMs } = answer.again;
      expect(promptTokens).toBeGreaterThan(800);
      expect(reusedTokens).toBeLessThan(promptTokens / 2);
      // A step takes some 10 ms; the machine may be busy with other things.
      expect(answer.freeMs).toBeLessThan(Math.max(150, prefillMs / 4));
    });
  });

  it('of a completion without time resolves at once', async () => {
    await onSite({}, async (page) => {
      const { stats } = await page.evaluate(async (model) => {
        const completer = await globalThis.midline.createCompleter({ model });
        return completer.complete('value = compute(first, second)\n'.repeat(400), '', { timeBudgetMs: 0 });
      }, model);
      expect(stats).toMatchObject({ stopReason: 'time-budget', newTokens: 0 });
    });
  });

  it('of 100 rapid requests settle, and the newest wins', async () => {
    await onSite({}, async (page) => {
      const answer = await page.evaluate(
        async ([model, prefix]) => {
          const completer = await globalThis.midline.createCompleter({ model });
          const alone = await completer.complete(prefix, '', { languageId: 'python' });
          const text =
            'def subtract(first, second):\n    return first - second\n\n\ndef scale(by, value):\n    return value * by\n\n\n';
          const requests = Array.from({ length: 99 }, (_, i) => completer.complete(text.slice(0, i + 1), ''));
          requests.push(completer.complete(prefix, '', { languageId: 'python' }));
          const settled = await Promise.allSettled(requests);
          const names = settled.map((s) =>
            s.status === 'fulfilled' ? 'fulfilled' : (s.reason as Error).name,
          );
          const last = settled.at(-1);
          return { names, alone, last: last?.status === 'fulfilled' ? last.value : undefined };
        },
        [model, PREFIX] as const,
      );
      expect(answer.names.slice(0, 99)).toEqual(Array(99).fill('AbortError'));
      expect(answer.last?.suggestions).toEqual(answer.alone.suggestions);
    });
  });

  it('of a worker that ends itself reject, and the next request starts another', async () => {
    await onSite({}, async (page) => {
      await page.evaluate(
        async ([model, prefix]) => {
          const completer = await globalThis.midline.createCompleter({ model });
          const first = await completer.complete(prefix, '', { languageId: 'python' });
          Object.assign(globalThis, { completer, first });
        },
        [model, PREFIX] as const,
      );
      await page.evaluate(() => {
        const { completer } = globalThis as unknown as { completer: import('midline').Completer };
        const long = 'value = compute(first, second)\n'.repeat(2000);
        const pending = completer.complete(long, '', { maxNewTokens: 200 }).then(
          () => 'completed',
          (error: { code?: string }) => error.code,
        );
        Object.assign(globalThis, { pending });
      });
      await page.workers()[0]?.evaluate(() => self.close());
      const answer = await page.evaluate(async (prefix) => {
        const { completer, first, pending } = globalThis as unknown as {
          completer: import('midline').Completer;
          first: import('midline').CompletionResult;
          pending: Promise<string>;
        };
        const outcome = await pending;
        const again = await completer.complete(prefix, '', { languageId: 'python' });
        return { outcome, first, again };
      }, PREFIX);
      expect(answer.outcome).toBe('worker-died');
      expect(answer.again.suggestions).toEqual(answer.first.suggestions);
    });
  });

  it('of a worker that ends while the network is away reject with that, and all is well when it is back', async () => {
    await onSite({}, async (page) => {
      await page.evaluate(async (model) => {
        const completer = await globalThis.midline.createCompleter({ model });
        Object.assign(globalThis, { completer, first: await completer.complete('x = ', '') });
      }, model);
      const downloads: string[] = [];
      page.on('request', (request) => downloads.push(request.url()));
      await page.workers()[0]?.evaluate(() => self.close());
      const codeOfNext = () =>
        page.evaluate(() =>
          (globalThis as unknown as { completer: import('midline').Completer }).completer
            .complete('x = ', '')
            .then(
              () => 'completed',
              (error: { code?: string }) => error.code,
            ),
        );
      await page.route('**/dist/**', (route) => route.abort());
      await expect.poll(codeOfNext).toBe('offline'); // the first may still be the death itself
      for (let i = 0; i < 5; i++) expect(await codeOfNext()).toBe('offline');
      await page.unroute('**/dist/**');
      // The script comes, the engine does not.
      await page.route('**/*.wasm', (route) => route.abort());
      for (let i = 0; i < 4; i++) expect(await codeOfNext()).toBe('offline');
      await page.unroute('**/*.wasm');
      await page.route('**/*.wasm', (route) => route.fulfill({ status: 503 }));
      expect(await codeOfNext()).toBe('http-status');
      await page.unroute('**/*.wasm');
      const answer = await page.evaluate(async () => {
        const { completer, first } = globalThis as unknown as {
          completer: import('midline').Completer;
          first: import('midline').CompletionResult;
        };
        return { first, again: await completer.complete('x = ', '') };
      });
      expect(answer.again.suggestions).toEqual(answer.first.suggestions);
      expect(downloads.length).toBeGreaterThan(5);
      expect(downloads.filter((url) => url.endsWith('.gguf'))).toEqual([]); // the model was there already
    });
  });

  it('of a worker that hangs reject after ten seconds, and the next request starts another', async () => {
    await onSite({}, async (page) => {
      await page.evaluate(async (model) => {
        const completer = await globalThis.midline.createCompleter({ model });
        Object.assign(globalThis, { completer, first: await completer.complete('x = ', '') });
      }, model);
      await page.workers()[0]?.evaluate(() => {
        setTimeout(() => {
          for (;;);
        });
      });
      const answer = await page.evaluate(async () => {
        const { completer, first } = globalThis as unknown as {
          completer: import('midline').Completer;
          first: import('midline').CompletionResult;
        };
        // The first may be answered before the worker hangs.
        let error: unknown;
        while (!error) await completer.complete('y = ', '').catch((reason: unknown) => (error = reason));
        const { code, found } = error as { code: string; found: string };
        return { code, found, first, again: await completer.complete('x = ', '') };
      });
      expect(answer).toMatchObject({ code: 'worker-died', found: 'no sign of life for 10 s' });
      expect(answer.again.suggestions).toEqual(answer.first.suggestions);
      await expect.poll(() => page.workers().length, { timeout: 10_000 }).toBe(1);
    });
  });

  it('of two completers at once do not disturb each other; dispose ends one only', async () => {
    await onSite({}, async (page) => {
      const answer = await page.evaluate(
        async ([model, prefix]) => {
          const create = () => globalThis.midline.createCompleter({ model });
          const [one, two] = await Promise.all([create(), create()]);
          const both = await Promise.all([
            one.complete(prefix, '', { languageId: 'python' }),
            two.complete(prefix, '', { languageId: 'python' }),
          ]);
          const pending = one.complete(prefix, '').catch((error: { code?: string }) => error.code);
          one.dispose();
          const after = await two.complete(prefix, '', { languageId: 'python' });
          return { both, after, pending: await pending };
        },
        [model, PREFIX] as const,
      );
      expect(answer.both[0]?.suggestions).toEqual(answer.both[1]?.suggestions);
      expect(answer.pending).toBe('disposed');
      expect(answer.after.suggestions).toEqual(answer.both[0]?.suggestions);
      await expect.poll(() => page.workers().length).toBe(1);
    });
  });
});

describe('a model that cannot be fetched', () => {
  const create = (page: Page, model: string) =>
    page.evaluate(async (model) => {
      const error = await globalThis.midline.createCompleter({ model }).catch((error: unknown) => error);
      const { name, code, found } = error as { name: string; code: string; found: string };
      return { name, code, found };
    }, model);

  it.each([
    ['that is missing', '../models/absent.gguf', 'http-status', 'status 404 Not Found'],
    ['that is a page', '../app/', 'not-a-model', 'a web page'],
  ])('%s', async (_, model, code, found) => {
    await onSite({}, async (page) => {
      expect(await create(page, model)).toEqual({ name: 'MidlineError', code, found });
      await expect.poll(() => page.workers().length).toBe(0);
    });
  });

  it('because there is no network', async () => {
    await onSite({}, async (page) => {
      expect(await create(page, 'http://127.0.0.1:9/m.gguf')).toMatchObject({ code: 'offline' });
    });
  });
});
