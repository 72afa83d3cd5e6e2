/**
 * Files that are no models, or not ones that can be run: a typed error that says what was expected and what was
 * found; the worker lives, and the model before goes on with the same answers.
 */
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FromWorker } from '../../www/src/client/protocol.js';
import { launch } from './support/browser.js';
import { layoutOf, spoiled, u32Bytes, u64Bytes } from './support/gguf.js';
import { MODEL, openPackagePage, packageSite, repository, type Site } from './support/sites.js';
import { ask, startWorker } from './support/worker.js';

const file = readFileSync(`${repository}models/${MODEL}`);
const layout = layoutOf(file);

let browser: Browser;
let site: Site;
let page: Page;
beforeAll(async () => {
  [browser, site] = await Promise.all([launch(), packageSite()]);
  page = await browser.newPage();
  await openPackagePage(page, site);
  await startWorker(page, site);
  await page.evaluate(async (model) => {
    const completer = await globalThis.midline.createCompleter({ model });
    Object.assign(globalThis, { completer });
  }, `../models/${MODEL}`);
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

declare global {
  // In the page: the completer that was there before any bad file.
  // eslint-disable-next-line no-var
  var completer: import('../../www/src/client/index.js').Completer;
}

const PREFIX = 'def add(a, b):\n    return ';

/** What the worker under test and the completer of the page answer: always the same. */
let expected: unknown;
async function stillWorks(): Promise<void> {
  const answer = await ask(page, { type: 'complete', request: { prefix: PREFIX, suffix: '' } });
  expect(answer.type).toBe('completed');
  const { suggestions } = (answer as Extract<FromWorker, { type: 'completed' }>).result;
  expected ??= suggestions;
  expect(suggestions).toHaveLength(1);
  expect(suggestions).toEqual(expected);
  const byApi = await page.evaluate((prefix) => globalThis.completer.complete(prefix, ''), PREFIX);
  expect(byApi.suggestions).toEqual(expected);
}

/**
 * Offers a file twice: to the worker that has the good model, as a second load, and to the API as a new
 * completer. Both must refuse it with the same fields.
 */
async function refusal(bad: Buffer): Promise<unknown> {
  const [byWorker, byApi] = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    const answer = await globalThis.request({
      type: 'load',
      model: { kind: 'blob', blob: new Blob([bytes]) },
    });
    const refused = await globalThis.midline
      .createCompleter({ model: bytes.buffer })
      .then(() => 'loaded')
      .catch(({ name, code, message, expected, found }) => ({ name, code, message, expected, found }));
    return [answer, refused];
  }, bad.toString('base64'));
  expect(byWorker).toMatchObject({ type: 'failed' });
  const { error } = byWorker as Extract<FromWorker, { type: 'failed' }>;
  expect(byApi).toEqual({ name: 'MidlineError', ...error });
  return error;
}

const key = (name: string) => {
  const found = layout.keys.get(name);
  if (!found) throw new Error(`the model has no key ${name}`);
  return found;
};
const tensor = (name: string) => {
  const found = layout.tensors.find((row) => row.name === name);
  if (!found) throw new Error(`the model has no tensor ${name}`);
  return found;
};
const withKey = (name: string, value: Buffer): Buffer => spoiled(file, [key(name).valueAt, value]);
/** Renames a key in place, so that it is missing. */
const without = (name: string): Buffer => spoiled(file, [key(name).keyAt, Buffer.from('X')]);

const embedding = tensor('token_embd.weight');
const query = tensor('blk.0.attn_q.weight');
const keys = tensor('blk.0.attn_k.weight');

const FILES: readonly [
  name: string,
  bad: Buffer,
  code: string,
  expected: string | RegExp,
  found: string | RegExp,
][] = [
  ['an empty file', Buffer.alloc(0), 'gguf-magic', 'the bytes GGUF', 'an empty file'],
  [
    'a text file',
    Buffer.from('just some notes\n'.repeat(9)),
    'gguf-magic',
    'the bytes GGUF',
    /6a, 75, 73, 74/,
  ],
  [
    'a wrong magic',
    spoiled(file, [0, Buffer.from('GGML')]),
    'gguf-magic',
    'the bytes GGUF',
    /47, 47, 4d, 4c/,
  ],
  ['a wrong version', spoiled(file, [4, u32Bytes(99)]), 'gguf-version', 'version 2 or 3', 'version 99'],
  [
    'a file of the other byte order',
    spoiled(file, [4, Buffer.from([0, 0, 0, 3])]),
    'gguf-version',
    'version 2 or 3',
    'version 50331648',
  ],
  [
    'an absurd tensor count',
    spoiled(file, [8, u64Bytes(2n ** 60n)]),
    'gguf-limit',
    /^at most \d+$/,
    String(2n ** 60n),
  ],
  [
    'an absurd metadata count',
    spoiled(file, [16, u64Bytes(2n ** 63n)]),
    'gguf-limit',
    /^at most \d+$/,
    String(2n ** 63n),
  ],
  [
    'an absurd key length',
    spoiled(file, [24, u64Bytes(2n ** 40n)]),
    'gguf-limit',
    /^at most \d+$/,
    String(2n ** 40n),
  ],
  [
    'an array longer than the file',
    withKey('tokenizer.ggml.scores', Buffer.concat([u32Bytes(6), u64Bytes(2_000_000n)])),
    'gguf-truncated',
    '8000000 bytes',
    /^\d+ bytes$/,
  ],
  [
    'an unknown value type',
    spoiled(file, [key('general.name').typeAt, u32Bytes(77)]),
    'gguf-metadata',
    /./,
    /77/,
  ],
  ['no architecture', without('general.architecture'), 'gguf-metadata', /./, /./],
  [
    'another architecture',
    spoiled(file, [key('general.architecture').valueAt + 8, Buffer.from('lxama')]),
    'model-architecture',
    'llama',
    'lxama',
  ],
  ['no width', without('llama.embedding_length'), 'gguf-metadata', /./, /./],
  ['no tokens', without('tokenizer.ggml.tokens'), 'gguf-metadata', /./, /./],
  [
    'another tokenizer',
    spoiled(file, [key('tokenizer.ggml.model').valueAt + 8, Buffer.from('rwkvx')]),
    'tokenizer-unsupported',
    /gpt2/,
    /rwkvx/,
  ],
  [
    'heads that do not divide',
    withKey('llama.attention.head_count_kv', u32Bytes(4)),
    'model-shape',
    'a divisor of 6 query heads',
    '4',
  ],
  [
    'another width than its tensors',
    withKey('llama.embedding_length', u32Bytes(384)),
    'model-shape',
    /./,
    /./,
  ],
  [
    'a tensor type without kernels',
    spoiled(file, [query.typeAt, u32Bytes(12)]),
    'gguf-unsupported-type',
    /Q4_0/,
    'type 12',
  ],
  [
    'a matrix of another shape',
    spoiled(file, [keys.dimsAt + 8, u64Bytes(32n)]),
    'model-shape',
    '[192, 64]',
    '[192, 32]',
  ],
  [
    'a tensor beyond the end',
    spoiled(file, [keys.offsetAt, u64Bytes(2n ** 40n)]),
    'gguf-truncated',
    '6912 bytes',
    '0 bytes',
  ],
  [
    'two tensors in one place',
    spoiled(file, [query.offsetAt, u64Bytes(0n)]),
    'gguf-tensor',
    /^a start at byte \d+ or later$/,
    /inside tensor/,
  ],
  [
    'a tensor larger than any',
    spoiled(file, [embedding.dimsAt, u64Bytes(2n ** 62n)]),
    'gguf-tensor',
    /2\^48/,
    /4611686018427387904/,
  ],
  [
    'a model that does not fit into memory',
    spoiled(
      file,
      [key('llama.embedding_length').valueAt, u32Bytes(1 << 20)],
      [key('llama.attention.head_count').valueAt, u32Bytes(1)],
      [key('llama.attention.head_count_kv').valueAt, u32Bytes(1)],
    ),
    'model-memory',
    /^at most \d+ bytes$/,
    /^\d{11} bytes$/,
  ],
];

describe('a bad model', () => {
  it.each(FILES)('%s', async (_, bad, code, expectedText, found) => {
    const matching = (text: string | RegExp) => (text instanceof RegExp ? expect.stringMatching(text) : text);
    expect(await refusal(bad)).toEqual({
      code,
      message: expect.any(String),
      expected: matching(expectedText),
      found: matching(found),
    });
    await stillWorks();
  });

  it('cut off at every structure, and anywhere else', async () => {
    const lengths = [
      ...layout.boundaries.flatMap((at) => [at - 1, at, at + 1]),
      ...layout.tensors.map((row) => layout.dataAt + Number(file.readBigUInt64LE(row.offsetAt)) + 1),
      file.length - 1,
    ];
    const unique = [...new Set(lengths)].filter((length) => length >= 0 && length < file.length);
    expect(unique.length).toBeGreaterThan(1000);
    const answers = await page.evaluate(
      async ([model, lengths]) => {
        const blob = await (await fetch(model)).blob();
        const answers: string[] = [];
        for (const length of lengths) {
          const part = { kind: 'blob', blob: blob.slice(0, length) };
          const answer = await globalThis.request({ type: 'load', model: part });
          if (answer.type !== 'failed') answers.push(`${length}: ${answer.type}`);
          else if (!answer.error.expected || !answer.error.found) answers.push(`${length}: not told`);
          else if (answer.error.code !== (length < 4 ? 'gguf-magic' : 'gguf-truncated'))
            answers.push(`${length}: ${answer.error.code}`);
        }
        return answers;
      },
      [`../models/${MODEL}`, unique] as const,
    );
    expect(answers).toEqual([]);
    await stillWorks();
  });

  it('leaves no worker behind', async () => {
    await expect.poll(() => page.workers().length).toBe(2); // the one under test and the completer's
  });

  it('is replaced by a good one in the same worker', async () => {
    const url = new URL(`models/${MODEL}`, `${site.url}/`).href;
    const loaded = await ask(page, { type: 'load', model: { kind: 'url', url } });
    expect(loaded).toMatchObject({ type: 'loaded', info: { name: 'Midline boot 5M' } });
    await stillWorks();
  });
});
