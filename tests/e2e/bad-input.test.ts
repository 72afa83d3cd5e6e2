/** Files that are no models and texts that are no code: typed errors, a living worker, the same answers after. */
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FromWorker } from '../../www/src/client/protocol.js';
import { launch } from './support/browser.js';
import { MODEL, openPackagePage, packageSite, repository, type Site } from './support/sites.js';

const bytes = readFileSync(`${repository}models/${MODEL}`);
const model = `../models/${MODEL}`;
const PREFIX = 'def add(a, b):\n    return ';

let browser: Browser;
let site: Site;
let page: Page;
beforeAll(async () => {
  [browser, site] = await Promise.all([launch(), packageSite()]);
  page = await browser.newPage();
  await openPackagePage(page, site);
  await startWorker();
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

declare global {
  // In the page: sends a request to the worker under test and gives its answer.
  // eslint-disable-next-line no-var
  var request: (message: object) => Promise<FromWorker>;
}

/**
 * One worker, spoken to by the protocol itself: the client would start a new one
 * for each model, and here it is to be shown that one survives them all.
 */
async function startWorker(): Promise<void> {
  await page.evaluate(() => {
    const worker = new Worker('../dist/client/worker.js', { type: 'module' });
    const waiting = new Map<number, (message: FromWorker) => void>();
    let nextId = 1;
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data.type === 'crashed') for (const answer of waiting.values()) answer(data);
      if (!('id' in data) || data.type === 'progress') return;
      waiting.get(data.id)?.(data);
      waiting.delete(data.id);
    };
    globalThis.request = (message) =>
      new Promise((resolve) => {
        waiting.set(nextId, resolve);
        worker.postMessage({ ...message, id: nextId++ });
      });
  });
  const url = new URL(`models/${MODEL}`, `${site.url}/`).href;
  const loaded = await ask({ type: 'load', model: { kind: 'url', url } });
  expect(loaded.type).toBe('loaded');
}

const ask = (message: object): Promise<FromWorker> => page.evaluate((m) => globalThis.request(m), message);

/** Loads a file made from the good model by `patch` in the worker that has the good one. */
async function load(file: Buffer): Promise<FromWorker> {
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    return globalThis.request({ type: 'load', model: { kind: 'blob', blob: new Blob([bytes]) } });
  }, file.toString('base64'));
}

/** The first `length` bytes of the good model, made in the page: the whole file is too much to send each time. */
async function loadTruncated(lengths: number[]): Promise<string[]> {
  return page.evaluate(
    async ([model, lengths]) => {
      const blob = await (await fetch(model)).blob();
      const codes: string[] = [];
      for (const length of lengths) {
        const answer = await globalThis.request({
          type: 'load',
          model: { kind: 'blob', blob: blob.slice(0, length) },
        });
        codes.push(answer.type === 'failed' ? answer.error.code : answer.type);
      }
      return codes;
    },
    [model, lengths] as const,
  );
}

const complete = (prefix: string, suffix = ''): Promise<FromWorker> =>
  ask({ type: 'complete', request: { prefix, suffix, languageId: 'python', format: 'prefix' } });

/** Checks that the first model still answers, and as it did. */
let expected: unknown;
async function stillWorks(): Promise<void> {
  const answer = await complete(PREFIX);
  expect(answer.type).toBe('completed');
  const { suggestions } = (answer as Extract<FromWorker, { type: 'completed' }>).result;
  expected ??= suggestions;
  expect(suggestions).toEqual(expected);
  expect(suggestions).toHaveLength(1);
}

function patched(offset: number, replacement: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  replacement.copy(copy, offset);
  return copy;
}

const u64 = (value: bigint): Buffer => {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(value);
  return buffer;
};

describe('a file that is no model', () => {
  const architecture = bytes.indexOf('general.architecture') + 'general.architecture'.length + 4 + 8;
  const files: [string, Buffer, string[]][] = [
    ['an empty file', Buffer.alloc(0), ['gguf-truncated']],
    ['a text file', Buffer.from('just some notes, longer than a header would be\n'), ['gguf-magic']],
    ['a wrong magic', patched(0, Buffer.from('GGML')), ['gguf-magic']],
    ['a wrong version', patched(4, Buffer.from([99, 0, 0, 0])), ['gguf-version']],
    ['a big-endian version', patched(4, Buffer.from([0, 0, 0, 3])), ['gguf-version']],
    ['an absurd tensor count', patched(8, u64(2n ** 60n)), ['gguf-limit', 'gguf-truncated']],
    ['an absurd metadata count', patched(16, u64(2n ** 63n)), ['gguf-limit', 'gguf-truncated']],
    ['an absurd key length', patched(24, u64(2n ** 40n)), ['gguf-limit', 'gguf-truncated']],
    ['an unknown architecture', patched(architecture, Buffer.from('lxama')), ['model-architecture']],
  ];
  it.each(files)('%s: a typed error, and the model before goes on', async (_, file, codes) => {
    await stillWorks();
    const answer = await load(file);
    expect(answer).toMatchObject({ type: 'failed' });
    const { error } = answer as Extract<FromWorker, { type: 'failed' }>;
    expect(codes).toContain(error.code);
    expect(error.expected ?? error.message).toBeTruthy();
    expect(error.found ?? error.message).toBeTruthy();
    await stillWorks();
  });

  it('cut off anywhere: always a typed error', async () => {
    // Every byte of the header, then every structure of the metadata and tensor table closely, then the weights.
    const lengths = [
      ...Array.from({ length: 64 }, (_, i) => i),
      ...Array.from({ length: 60 }, (_, i) => 64 + i * 37),
      ...Array.from({ length: 60 }, (_, i) => Math.floor(2284 + (i * (bytes.length - 2284)) / 60)),
      bytes.length - 1,
    ];
    const codes = await loadTruncated(lengths);
    const unexpected = codes
      .map((code, i) => `${lengths[i]}: ${code}`)
      .filter((text) => !text.endsWith('gguf-truncated'));
    expect(unexpected).toEqual([]);
    await stillWorks();
  });

  it('by the API: the same code, expected and found, and no worker stays behind', async () => {
    const answer = await page.evaluate(async () => {
      const create = (model: File | ArrayBuffer) =>
        globalThis.midline.createCompleter({ model }).catch((error: unknown) => {
          const { name, code, expected, found } = error as Record<string, string>;
          return { name, code, expected, found };
        });
      return [
        await create(new ArrayBuffer(0)),
        await create(new File(['PK\u0003\u0004 a zip archive'], 'm.gguf')),
      ];
    });
    expect(answer).toEqual([
      {
        name: 'MidlineError',
        code: 'gguf-truncated',
        expected: expect.any(String),
        found: expect.any(String),
      },
      { name: 'MidlineError', code: 'gguf-magic', expected: expect.any(String), found: expect.any(String) },
    ]);
    await expect.poll(() => page.workers().length).toBe(1);
  });
});

describe('a text that is no code', () => {
  const control = [
    '<|endoftext|>',
    '<|fim_prefix|>',
    '<|fim_suffix|>',
    '<|fim_middle|>',
    '<|lang_sep|>',
    '<|meta_sep|>',
  ];
  const texts: [string, string, string][] = [
    ['nothing', '', ''],
    ['a NUL', 'a\0b = ', '\0'],
    ['CRLF', 'def add(a, b):\r\n    return ', '\r\n'],
    ['a lone high surrogate', 'x = "\ud800', '"\n'],
    ['a lone low surrogate', 'x = "\udc00', '\udfff"\n'],
    ['half a pair on each side of the caret', 'x = "\ud83d', '\ude00"\n'],
    ['an emoji', 'x = "😀', '😀"\n'],
    ['Hangul', '이름 = "한', '글"\n'],
    ['control tokens spelt out', `x = "${control.join('')}"\ny = `, control.join('\n')],
    ['only white space', ' \t\n\u00a0\u3000\n', '\n\n'],
    ['one character 20,000 times', 'x'.repeat(20_000), 'y'.repeat(20_000)],
  ];
  it.each(texts)('%s is completed or declined, and nothing breaks', async (_, prefix, suffix) => {
    const answer = await complete(prefix, suffix);
    expect(answer).toMatchObject({ type: 'completed' });
    const { suggestions } = (answer as Extract<FromWorker, { type: 'completed' }>).result;
    for (const { text } of suggestions) {
      expect(text).not.toMatch(/\p{Surrogate}/u);
      for (const token of control) expect(text).not.toContain(token);
    }
    await stillWorks();
  });

  it('5 MB before and after the caret pass through the API', async () => {
    const answer = await page.evaluate(async (model) => {
      const completer = await globalThis.midline.createCompleter({ model });
      const large = 'def function(argument):\n    return argument\n'.repeat(120_000);
      const result = await completer.complete(large, large);
      const wide = await completer.complete('😀'.repeat(2_500_000), '한'.repeat(5_000_000));
      completer.dispose();
      return { size: large.length, result, wide };
    }, model);
    expect(answer.size).toBeGreaterThan(5_000_000);
    expect(answer.result.stats.promptTokens).toBeGreaterThan(100);
    expect(answer.result.stats.promptTokens).toBeLessThanOrEqual(512);
    expect(answer.wide.stats.promptTokens).toBeLessThanOrEqual(512);
  });

  it('arguments of the wrong type are refused by name', async () => {
    const answer = await page.evaluate(async (model) => {
      const completer = await globalThis.midline.createCompleter({ model });
      const call = completer.complete as (...args: unknown[]) => Promise<unknown>;
      const outcome = await call.call(completer, 1, 2).catch((error: unknown) => error);
      const { name, code, message, found } = outcome as Record<string, string>;
      const works = (await completer.complete('x = ', '')).stats.newTokens;
      completer.dispose();
      return { name, code, message, found, works };
    }, model);
    expect(answer).toMatchObject({
      name: 'MidlineError',
      code: 'request-invalid',
      message: 'prefix must be a string',
      found: 'the number 1',
    });
    expect(answer.works).toBeGreaterThan(0);
  });

  it('text that spells control tokens never becomes one', async () => {
    for (const token of control) {
      const answer = await ask({ type: 'tokenize', text: token });
      expect(answer).toMatchObject({ type: 'tokens' });
      const { tokens } = answer as Extract<FromWorker, { type: 'tokens' }>;
      expect(tokens.length).toBeGreaterThan(1);
    }
  });
});
