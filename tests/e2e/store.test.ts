/** The model store in Chromium: interruption, death and damage at random places, several tabs, servers and storages that fail. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type * as storeModule from '../../www/src/store/index.js';
import { launch } from './support/browser.js';
import { modelServer, type ModelServer } from './support/model-server.js';
import { MODEL, repository } from './support/sites.js';

declare global {
  // In the page.
  // eslint-disable-next-line no-var
  var store: storeModule.ModelStore;
  // eslint-disable-next-line no-var
  var openModelStore: typeof storeModule.openModelStore;
}

const file = readFileSync(`${repository}models/${MODEL}`);
const sha256 = createHash('sha256').update(file).digest('hex');
const CHUNK = 1024 * 1024;
/** The same random places in every run. */
let seed = 7;
const random = (below: number): number => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return Math.floor((seed / 2 ** 32) * below);
};

let browser: Browser;
let server: ModelServer;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  browser = await launch();
});
afterAll(async () => {
  await browser?.close();
});
beforeEach(async () => {
  server = await modelServer({ file, etag: '"one"' });
  context = await browser.newContext();
  page = await openPage();
});
afterEach(async () => {
  await context.close();
  await server.close();
});

async function openPage(): Promise<Page> {
  const opened = await context.newPage();
  await opened.goto(`${server.url}/app/store.html`);
  await opened.waitForFunction(() => 'store' in globalThis);
  return opened;
}

const entry = (more: object = {}) => ({ id: 'm', url: `${server.url}/model.gguf`, sha256, ...more });

interface Outcome {
  readonly sha256?: string;
  readonly bytes?: number;
  readonly error?: Record<string, string>;
  readonly progress: storeModule.StoreProgress[];
}

/** `get`, and the hash of the blob that it gave as the browser computes it. */
function get(on: Page, more: object = {}, options: object = {}): Promise<Outcome> {
  return on.evaluate(
    async ([entry, options]) => {
      const progress: storeModule.StoreProgress[] = [];
      try {
        const model = await globalThis.store.get(entry, { ...options, onProgress: (p) => progress.push(p) });
        const digest = await crypto.subtle.digest('SHA-256', await model.blob.arrayBuffer());
        const hex = Array.from(new Uint8Array(digest), (b) => b.toString(16).padStart(2, '0')).join('');
        return { sha256: hex, bytes: model.bytes, progress };
      } catch (error) {
        const { name, code, expected, found } = error as Record<string, string>;
        return { error: { name, code, expected, found } as Record<string, string>, progress };
      }
    },
    [entry(more), options] as const,
  );
}

/** Bytes that are stored, by the listing. */
const held = (id = 'm'): Promise<number> =>
  page.evaluate(
    async (wanted) => (await globalThis.store.list()).find(({ id }) => id === wanted)?.storedBytes ?? 0,
    id,
  );

describe('a download', () => {
  it('is stored, verified and then had without the network; the engine reads it from the disk', async () => {
    expect((await get(page)).sha256).toBe(sha256);
    expect(server.sentBytes()).toBe(file.length);
    expect(await page.evaluate(() => globalThis.store.usage())).toMatchObject({
      modelsBytes: file.length,
      storage: 'opfs',
    });
    await page.reload();
    await page.waitForFunction(() => 'store' in globalThis);
    const prompt = await page.evaluate(async (entry) => {
      const model = await globalThis.store.get(entry);
      const completer = await globalThis.midline.createCompleter({ model });
      const { stats } = await completer.complete('def add(a, b):\n    return ', '');
      completer.dispose();
      return stats.promptTokens;
    }, entry());
    expect(prompt).toBeGreaterThan(5);
    expect(server.requests.length).toBe(1);
    await server.close();
    expect((await get(page)).sha256).toBe(sha256);
  });

  it('goes on after an interruption at any of 50 places, and asks only for what is missing', async () => {
    for (let i = 0; i < 50; i++) {
      const cut = 1 + random(file.length - 1);
      const id = `cut-${i}`;
      server.requests.length = 0;
      server.behaviour = { file, etag: '"one"', cutAfter: cut };
      const first = await get(page, { id }, { retries: 0 });
      if (first.error) expect(first.error['code']).toBe('offline');
      const before = await held(id);
      server.requests.length = 0;
      server.behaviour = { file, etag: '"one"' };
      expect((await get(page, { id })).sha256, `cut at ${cut}`).toBe(sha256);
      const rest = server.requests.map(({ range, sent }) => [range, sent]);
      const missing = file.length - before;
      const asked = before === 0 ? undefined : `bytes=${before}-`;
      expect(rest, `cut at ${cut}`).toEqual(missing === 0 ? [] : [[asked, missing]]);
      await page.evaluate((id) => globalThis.store.delete(id), id);
    }
  }, 120_000);

  it('by one call gets over 20 interruptions by itself', async () => {
    server.behaviour = { file, etag: '"one"', cutAfter: Math.ceil(file.length / 20), backAgain: true };
    const { sha256: hash, progress } = await get(page);
    expect(hash).toBe(sha256);
    expect(server.requests.length).toBeGreaterThanOrEqual(20);
    expect(progress.every(({ restarted }) => restarted === undefined)).toBe(true);
    const loaded = progress.map(({ loadedBytes }) => loadedBytes);
    expect(loaded).toEqual([...loaded].sort((a, b) => a - b));
  });

  it('survives 50 deaths of the worker that fetches', async () => {
    server.behaviour = { file, etag: '"one"', pauseMs: 1, pieceBytes: 32_768 };
    let before = 0;
    for (let i = 0; i < 50; i++) {
      await page.evaluate(
        async ([entry, ms]) => {
          const worker = new Worker('./store-worker.js', { type: 'module' });
          await new Promise((resolve) => (worker.onmessage = resolve));
          worker.postMessage(entry);
          await new Promise((resolve) => setTimeout(resolve, ms));
          worker.terminate();
        },
        [entry(), random(120)] as const,
      );
      const now = await held();
      expect(now).toBeGreaterThanOrEqual(before - CHUNK);
      before = now;
    }
    server.requests.length = 0;
    const rest = file.length - (await held());
    server.behaviour = { file, etag: '"one"' };
    expect((await get(page)).sha256).toBe(sha256);
    expect(server.sentBytes()).toBe(rest);
  }, 60_000);

  it('survives tabs that are closed while they write', async () => {
    server.behaviour = { file, etag: '"one"', pauseMs: 2, pieceBytes: 32_768 };
    for (let i = 0; i < 5; i++) {
      const tab = await openPage();
      await tab.evaluate((entry) => void globalThis.store.get(entry).catch(() => undefined), entry());
      await tab.waitForTimeout(40 + random(150));
      await tab.close();
    }
    server.behaviour = { file, etag: '"one"' };
    expect((await get(page)).sha256).toBe(sha256);
  });
});

/** Overwrites one byte of a stored file of the model, the bytes being counted over all chunks in order. */
function damage(at: number): Promise<void> {
  return page.evaluate(async (at) => {
    const root = await (await navigator.storage.getDirectory()).getDirectoryHandle('midline-models');
    const folder = await root.getDirectoryHandle('m');
    const handles: FileSystemFileHandle[] = [];
    for await (const handle of folder.values())
      if (handle.kind === 'file' && !handle.name.endsWith('.json')) handles.push(handle);
    handles.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const handle of handles) {
      const { size } = await handle.getFile();
      if (at < size) {
        const writable = await handle.createWritable({ keepExistingData: true });
        const byte = new Uint8Array(await (await handle.getFile()).slice(at, at + 1).arrayBuffer());
        await writable.write({
          type: 'write',
          position: at,
          data: new Uint8Array([(byte[0] as number) ^ 1]),
        });
        await writable.close();
        return;
      }
      at -= size;
    }
  }, at);
}

describe('damage', () => {
  it('at any of 20 places is found and mended by fetching that chunk only', async () => {
    await get(page);
    for (let i = 0; i < 20; i++) {
      const at = random(file.length);
      await damage(at);
      server.requests.length = 0;
      expect((await get(page)).sha256, `damage at ${at}`).toBe(sha256);
      const index = Math.floor(at / CHUNK);
      expect(server.sentBytes()).toBe(Math.min(CHUNK, file.length - index * CHUNK));
    }
  }, 60_000);

  it('of the record costs no download where the hash is known', async () => {
    await get(page);
    await page.evaluate(async () => {
      const root = await (await navigator.storage.getDirectory()).getDirectoryHandle('midline-models');
      const handle = await (await root.getDirectoryHandle('m')).getFileHandle('model.json');
      const writable = await handle.createWritable();
      await writable.write('{');
      await writable.close();
    });
    server.requests.length = 0;
    expect((await get(page, { bytes: file.length })).sha256).toBe(sha256);
    expect(server.sentBytes()).toBe(0);
  });
});

it('two tabs share one download, and the second sees its progress', async () => {
  server.behaviour = { file, etag: '"one"', pauseMs: 4 };
  const other = await openPage();
  const [one, two] = await Promise.all([get(page), page.waitForTimeout(60).then(() => get(other))]);
  expect([one.sha256, two.sha256]).toEqual([sha256, sha256]);
  expect(server.requests.length).toBe(1);
  expect(two.progress.filter(({ following }) => following).length).toBeGreaterThan(2);
});

describe('a server', () => {
  it('without ranges makes it start again, and says so', async () => {
    server.behaviour = { file, cutAfter: 2_000_000, noRanges: true };
    await get(page, {}, { retries: 0 });
    server.behaviour = { file, noRanges: true };
    const { sha256: hash, progress } = await get(page);
    expect(hash).toBe(sha256);
    expect(progress.at(-1)?.restarted).toBe('no-ranges');
  });

  it('with wrong ranges is not believed', async () => {
    server.behaviour = { file, cutAfter: 2_000_000 };
    await get(page, {}, { retries: 0 });
    server.behaviour = { file, wrongRange: true };
    const { sha256: hash, progress } = await get(page);
    expect(hash).toBe(sha256);
    expect(progress.at(-1)?.restarted).toBe('no-ranges');
  });

  it('with another file by now makes it start again', async () => {
    const old = Buffer.from(file);
    old[3_000_000] = (old[3_000_000] as number) ^ 1;
    server.behaviour = { file: old, etag: '"zero"', cutAfter: 2_000_000 };
    await get(page, {}, { retries: 0 });
    server.behaviour = { file, etag: '"one"' };
    const { sha256: hash, progress } = await get(page);
    expect(hash).toBe(sha256);
    expect(progress.at(-1)?.restarted).toBe('changed');
  });

  it.each([
    ['404', { status: 404 }, 'http-status', /404/],
    ['503', { status: 503 }, 'http-status', /503/],
    ['a web page', { html: true }, 'not-a-model', /web page/],
    ['no model', { file: Buffer.alloc(99, 'x') }, 'not-a-model', /78 78 78 78/],
    ['a longer file', { file: Buffer.concat([file, file]) }, 'length-mismatch', /7362112 bytes/],
    ['a short body', { endAfter: 700_000, noRanges: true }, 'length-mismatch', /700000 bytes/],
    ['a length that is not true', { declared: file.length + 9 }, 'length-mismatch', /3681065 bytes/],
    [
      'another file',
      { file: Buffer.from(file).fill(0, 9_000, 9_100) },
      'hash-mismatch',
      /^SHA-256 [0-9a-f]{64}$/,
    ],
    ['silence', { silent: true }, 'offline', /no byte for 200 ms/],
  ] as const)('that gives %s is refused with what was found', async (_, behaviour, code, found) => {
    server.behaviour = { file, ...behaviour };
    const { error } = await get(page, { bytes: file.length }, { retries: 0, stallMs: 200 });
    expect(error?.['name']).toBe('MidlineError');
    expect(error?.['code']).toBe(code);
    expect(error?.['found']).toMatch(found);
    // Nothing of it stands in the way later.
    server.behaviour = { file };
    expect((await get(page)).sha256).toBe(sha256);
  });

  it('of another origin that does not allow the page is told apart from no server', async () => {
    const other = await modelServer({ file });
    const url = `${other.url}/model.gguf`;
    expect((await get(page, { url }, { retries: 0 })).error?.['code']).toBe('cors');
    other.behaviour = { file, cors: true, cutAfter: 2_000_000 };
    await get(page, { url }, { retries: 0 });
    other.behaviour = { file, cors: true };
    expect((await get(page, { url })).sha256).toBe(sha256);
    await other.close();
    expect((await get(page, { url, id: 'n' }, { retries: 0 })).error?.['code']).toBe('offline');
  });
});

describe('the storage', () => {
  it('that is too small is refused with the numbers, before and while writing', async () => {
    const session = await context.newCDPSession(page);
    await session.send('Storage.overrideQuotaForOrigin', { origin: server.url, quotaSize: 2_000_000 });
    const { error } = await get(page, { bytes: file.length });
    expect(error?.['code']).toBe('quota');
    expect(error?.['expected']).toMatch(/^\d+ bytes of free room$/);
    server.behaviour = { file, endAfter: file.length }; // a length that nobody knows
    expect((await get(page)).error?.['code']).toBe('quota');
    await session.send('Storage.overrideQuotaForOrigin', { origin: server.url });
    expect((await get(page)).sha256).toBe(sha256);
  });

  it.each([
    ['cache', 'delete StorageManager.prototype.getDirectory'],
    [
      'memory',
      'delete StorageManager.prototype.getDirectory; delete window.caches; delete Window.prototype.caches',
    ],
  ] as const)('falls back to %s, says so, and works', async (kind, without) => {
    await context.addInitScript(without);
    const plain = await openPage();
    const usage = await plain.evaluate(() => globalThis.store.usage());
    expect(usage.storage).toBe(kind);
    expect(usage.storageReason).toMatch(/opfs/);
    server.behaviour = { file, etag: '"one"', cutAfter: 1_500_000 };
    expect((await get(plain, {}, { retries: 0 })).error?.['code']).toBe('offline');
    server.behaviour = { file, etag: '"one"' };
    expect((await get(plain)).sha256).toBe(sha256);
    server.requests.length = 0;
    expect((await get(plain)).sha256).toBe(sha256);
    expect(server.requests).toEqual([]);
  });
});

it('takes in a file, lists and deletes', async () => {
  const seen = await page.evaluate(async (url) => {
    const bytes = await (await fetch(url)).arrayBuffer();
    const model = await globalThis.store.import(new File([bytes], 'mine.gguf', { lastModified: 1 }));
    const again = await globalThis.store.open(model.id);
    const bad = await globalThis.store
      .import(new File(['notes'], 'notes.txt'))
      .catch((e: { code: string }) => e.code);
    const listed = await globalThis.store.list();
    await globalThis.store.delete(model.id);
    return { model, again: again?.sha256, bad, listed, after: await globalThis.store.list() };
  }, `${server.url}/model.gguf`);
  expect(seen.model.sha256).toBe(sha256);
  expect(seen.again).toBe(sha256);
  expect(seen.bad).toBe('not-a-model');
  expect(seen.listed).toMatchObject([
    { name: 'mine.gguf', complete: true, storedBytes: file.length, sha256 },
  ]);
  expect(seen.after).toEqual([]);
});

it('stops when it is no longer wanted, and keeps what has arrived', async () => {
  server.behaviour = { file, etag: '"one"', pauseMs: 5 };
  const name = await page.evaluate(async (entry) => {
    const controller = new AbortController();
    const onProgress = ({ loadedBytes }: storeModule.StoreProgress) => {
      if (loadedBytes > 1_500_000) controller.abort();
    };
    const options = { signal: controller.signal, onProgress };
    return globalThis.store.get(entry, options).catch((error: Error) => error.name);
  }, entry());
  expect(name).toBe('AbortError');
  expect(await held()).toBeGreaterThan(1_500_000);
});

it('refuses wrong arguments by name', async () => {
  const codes = await page.evaluate(async () => {
    const wrong = [
      {},
      { id: '../x', url: '/m' },
      { id: 'a' },
      { id: 'a', url: '/m', sha256: 'x' },
      { id: 'a', url: '/m', bytes: -1 },
    ];
    const ask = (entry: unknown) =>
      globalThis.store.get(entry as never).catch((e: { code: string }) => e.code);
    return Promise.all(wrong.map(ask));
  });
  expect(codes).toEqual(Array(5).fill('request-invalid'));
});
