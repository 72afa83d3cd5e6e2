/** The client against a worker that fails on purpose; the real worker is tested in the browser. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Client, MAX_DEATHS_IN_A_ROW } from '../src/client/client.js';
import type { CompleterOptions } from '../src/client/types.js';
import { MAX_UNANSWERED_PINGS, PING_EVERY_MS } from '../src/client/worker-link.js';
import { FakeWorker, INFO, resultWith } from './support/fake-worker.js';

/** A client over fake workers; `workers` holds every one that was started. */
async function connected(options: Partial<CompleterOptions> = {}) {
  const workers: FakeWorker[] = [];
  const client = await Client.create({ model: 'https://models.test/m.gguf', ...options }, () => {
    workers.push(new FakeWorker());
    return workers.at(-1) as FakeWorker;
  });
  const worker = (): FakeWorker => workers.at(-1) as FakeWorker;
  const answer = (text: string): void =>
    worker().say({ type: 'completed', id: worker().last('complete').id, result: resultWith(text) });
  return { client, workers, worker, answer };
}

const aborted = { name: 'AbortError' };

describe('a completion', () => {
  it('resolves with the answer to its own id', async () => {
    const { client, worker, answer } = await connected();
    const promise = client.complete('a', 'b', { path: 'x.py', maxNewTokens: 3 });
    expect(worker().last('complete').request).toEqual({
      prefix: 'a',
      suffix: 'b',
      path: 'x.py',
      maxNewTokens: 3,
    });
    worker().say({ type: 'completed', id: 999, result: resultWith('not mine') });
    answer('mine');
    expect((await promise).suggestions[0]?.text).toBe('mine');
  });

  it('gives way to a newer one, which is sent after the cancel', async () => {
    const { client, worker, answer } = await connected();
    const promises = Array.from({ length: 100 }, (_, i) => client.complete(`request ${i}`, ''));
    const settled = Promise.allSettled(promises);
    answer('newest');
    const results = await settled;
    expect(results.slice(0, 99).every((r) => r.status === 'rejected' && r.reason.name === 'AbortError')).toBe(
      true,
    );
    expect(results[99]).toMatchObject({ status: 'fulfilled' });
    const types = worker()
      .received.map((message) => message.type)
      .slice(2);
    expect(types.slice(0, 5)).toEqual(['complete', 'cancel', 'complete', 'cancel', 'complete']);
    expect(worker().all('cancel')).toHaveLength(99);
  });

  it('rejects with the fields of the engine’s error', async () => {
    const { client, worker } = await connected();
    const promise = client.complete('', '', { format: 'psm' });
    const error = { code: 'format-unavailable', message: 'm', expected: 'e', found: 'f' } as const;
    worker().say({ type: 'failed', id: worker().last('complete').id, error });
    await expect(promise).rejects.toMatchObject({ name: 'MidlineError', ...error });
  });
});

describe('aborting', () => {
  it('rejects at once and reaches the worker', async () => {
    const { client, worker } = await connected();
    const abort = new AbortController();
    const promise = client.complete('a', '', { signal: abort.signal });
    abort.abort();
    await expect(promise).rejects.toMatchObject(aborted);
    expect(worker().last('cancel').id).toBe(worker().last('complete').id);
  });

  it('before the call sends nothing', async () => {
    const { client, worker } = await connected();
    await expect(client.complete('a', '', { signal: AbortSignal.abort() })).rejects.toMatchObject(aborted);
    expect(worker().all('complete')).toHaveLength(0);
  });

  it('after the answer changes nothing, and listeners are not kept', async () => {
    const { client, worker, answer } = await connected();
    const { signal } = new AbortController();
    const remove = vi.spyOn(signal, 'removeEventListener');
    const promise = client.complete('a', '', { signal });
    answer('text');
    await promise;
    expect(remove).toHaveBeenCalledOnce();
    expect(worker().all('cancel')).toHaveLength(0);
  });

  it('makes a late answer harmless for the next request', async () => {
    const { client, worker, answer } = await connected();
    const abort = new AbortController();
    const first = client.complete('first', '', { signal: abort.signal });
    const firstId = worker().last('complete').id;
    abort.abort();
    await expect(first).rejects.toMatchObject(aborted);
    const second = client.complete('second', '');
    worker().say({ type: 'completed', id: firstId, result: resultWith('late') });
    answer('right');
    expect((await second).suggestions[0]?.text).toBe('right');
  });

  it('says nothing about a request that was already superseded', async () => {
    const { client, worker } = await connected();
    const abort = new AbortController();
    const first = client.complete('first', '', { signal: abort.signal });
    void client.complete('second', '').catch(() => undefined);
    abort.abort();
    await expect(first).rejects.toMatchObject(aborted);
    expect(worker().all('cancel')).toHaveLength(1);
  });
});

describe('a worker that dies', () => {
  const deaths: [string, (worker: FakeWorker) => void][] = [
    ['by an uncaught error', (worker) => worker.emit('error', { message: 'boom' })],
    ['by a message that cannot be read', (worker) => worker.emit('messageerror', {})],
    ['by a trap', (worker) => worker.say({ type: 'crashed', message: 'RuntimeError: unreachable' })],
  ];
  it.each(deaths)(
    '%s rejects what is pending; the next request has a new worker with the model',
    async (_, die) => {
      const { client, workers, worker, answer } = await connected({
        variant: 'simd128',
        preferredFormat: 'prefix',
      });
      const pending = [client.complete('a', ''), client.tokenize('b')];
      die(worker());
      for (const promise of pending) await expect(promise).rejects.toMatchObject({ code: 'worker-died' });
      expect(workers[0]?.terminated).toBe(true);
      expect(workers).toHaveLength(1);
      const next = client.complete('again', '');
      expect(workers).toHaveLength(2);
      expect(worker().received.map((message) => message.type)).toEqual(['start', 'load', 'complete']);
      expect(worker().last('load')).toMatchObject({
        model: { kind: 'url', url: 'https://models.test/m.gguf' },
        variant: 'simd128',
        preferredFormat: 'prefix',
      });
      answer('back');
      expect((await next).suggestions[0]?.text).toBe('back');
    },
  );

  it('is not started for ever', async () => {
    const { client, workers, worker, answer } = await connected();
    const dieOnce = async (): Promise<void> => {
      const promise = client.complete('a', '');
      worker().emit('error', { message: 'boom' });
      await expect(promise).rejects.toMatchObject({ code: 'worker-died' });
    };
    await dieOnce();
    const recovered = client.complete('a', '');
    answer('fine');
    await recovered; // an answer makes up for earlier deaths
    for (let i = 0; i < MAX_DEATHS_IN_A_ROW; i++) await dieOnce();
    const started = workers.length;
    await expect(client.complete('a', '')).rejects.toMatchObject({ code: 'worker-died' });
    expect(workers).toHaveLength(started);
  });

  it('during the first load rejects the creation', async () => {
    const worker = new FakeWorker(false);
    const promise = Client.create({ model: 'https://models.test/m.gguf' }, () => worker);
    worker.emit('error', { message: 'no such script' });
    await expect(promise).rejects.toMatchObject({ code: 'worker-died', found: 'no such script' });
  });

  it('is not one whose script never came: that is said, and never counted', async () => {
    const { client, workers, worker, answer } = await connected();
    worker().emit('error', { message: 'boom' });
    for (let i = 0; i <= MAX_DEATHS_IN_A_ROW; i++) {
      const refused = client.complete('a', '');
      worker().emit('error', {}); // as browsers tell of a script they could not fetch
      await expect(refused).rejects.toMatchObject({ name: 'MidlineError', code: 'offline' });
      expect(worker().terminated).toBe(true);
    }
    const next = client.complete('a', '');
    answer('back');
    expect((await next).suggestions[0]?.text).toBe('back');
    expect(workers).toHaveLength(MAX_DEATHS_IN_A_ROW + 3);
  });

  it('is one that fails without a message after it has started', async () => {
    const { client, worker } = await connected();
    worker().say({ type: 'started', lock: false });
    const promise = client.complete('a', '');
    worker().emit('error', {});
    await expect(promise).rejects.toMatchObject({ code: 'worker-died' });
  });

  describe('by hanging', () => {
    beforeEach(() => void vi.useFakeTimers());
    afterEach(() => void vi.useRealTimers());
    const hang = (): Promise<unknown> =>
      vi.advanceTimersByTimeAsync((MAX_UNANSWERED_PINGS + 1) * PING_EVERY_MS);

    it('is noticed by its silence, and the next request has a new worker', async () => {
      const { client, workers, worker, answer } = await connected();
      worker().say({ type: 'started', lock: false });
      const pending = [client.complete('a', ''), client.tokenize('b')];
      const settled = Promise.allSettled(pending);
      await vi.advanceTimersByTimeAsync(MAX_UNANSWERED_PINGS * PING_EVERY_MS);
      expect(worker().terminated).toBe(false);
      await vi.advanceTimersByTimeAsync(PING_EVERY_MS);
      for (const result of await settled)
        expect(result).toMatchObject({ status: 'rejected', reason: { code: 'worker-died' } });
      expect(workers[0]?.terminated).toBe(true);
      const next = client.complete('again', '');
      answer('back');
      expect((await next).suggestions[0]?.text).toBe('back');
      expect(workers).toHaveLength(2);
    });

    it('is not suspected while it answers pings, or reports progress of a load', async () => {
      const { client, worker, answer } = await connected();
      worker().say({ type: 'started', lock: false });
      const promise = client.complete('a', '');
      const { id } = worker().last('load');
      for (let i = 0; i < 20; i++) {
        await vi.advanceTimersByTimeAsync(PING_EVERY_MS);
        if (i % 3 === 0) worker().say({ type: 'alive' });
        else
          worker().say({ type: 'progress', id, progress: { phase: 'load', loadedBytes: i, totalBytes: 9 } });
      }
      answer('late');
      expect((await promise).suggestions[0]?.text).toBe('late');
      expect(worker().all('ping')).toHaveLength(20);
    });

    it('is not suspected while nothing is asked of it, or while its script is on the way', async () => {
      const { client, worker } = await connected();
      const promise = client.complete('a', '').catch((error: unknown) => error);
      await hang();
      expect(worker().terminated).toBe(false);
      worker().say({ type: 'started', lock: false });
      worker().say({ type: 'completed', id: worker().last('complete').id, result: resultWith('x') });
      await promise;
      await hang();
      expect(worker().all('ping')).toHaveLength(0);
      expect(vi.getTimerCount()).toBe(0);
    });

    it('leaves no timer when the completer is disposed', async () => {
      const { client } = await connected();
      void client.complete('a', '').catch(() => undefined);
      client.dispose();
      expect(vi.getTimerCount()).toBe(0);
    });
  });

  describe('without a word', () => {
    afterEach(() => vi.unstubAllGlobals());

    it('is noticed by the lock it held', async () => {
      let grant: (() => void) | undefined;
      const request = vi.fn((_name: string, _options: object, callback: () => void) => {
        grant = callback;
        return new Promise(() => undefined);
      });
      vi.stubGlobal('navigator', { locks: { request } });
      const { client, worker } = await connected();
      worker().say({ type: 'started', lock: true });
      expect(request.mock.calls[0]?.[0]).toBe(worker().last('start').lockName);
      const promise = client.complete('a', '');
      grant?.();
      await expect(promise).rejects.toMatchObject({ code: 'worker-died' });
    });
  });
});

describe('loading', () => {
  it('rejects with the load’s error and ends the worker', async () => {
    const worker = new FakeWorker(false);
    const promise = Client.create({ model: 'https://models.test/m.gguf' }, () => worker);
    const error = { code: 'gguf-magic', message: 'm', expected: 'GGUF', found: 'PK' } as const;
    worker.say({ type: 'failed', id: worker.last('load').id, error });
    await expect(promise).rejects.toMatchObject(error);
    expect(worker.terminated).toBe(true);
  });

  it('that fails after a restart fails the request that caused it, and the next one tries again', async () => {
    const { client, workers, worker, answer } = await connected();
    worker().emit('error', { message: 'boom' });
    const refused = client.complete('a', '');
    worker().say({ type: 'failed', id: worker().last('load').id, error: { code: 'offline', message: 'm' } });
    await expect(refused).rejects.toMatchObject({ code: 'offline' });
    const next = client.complete('b', '');
    answer('back');
    await next;
    expect(workers).toHaveLength(3);
  });

  it('reports progress and the model', async () => {
    const worker = new FakeWorker(false);
    const onProgress = vi.fn();
    const promise = Client.create({ model: 'https://models.test/m.gguf', onProgress }, () => worker);
    const { id } = worker.last('load');
    const progress = { phase: 'download', loadedBytes: 1, totalBytes: 2 } as const;
    worker.say({ type: 'progress', id, progress });
    worker.say({ type: 'loaded', id, info: INFO });
    expect((await promise).info).toEqual(INFO);
    expect(onProgress).toHaveBeenCalledExactlyOnceWith(progress);
  });

  it('is not disturbed by a progress function that throws, which is reported once', async () => {
    const reported = vi.fn();
    vi.stubGlobal('reportError', reported);
    const error = new Error('mine');
    const worker = new FakeWorker(false);
    const onProgress = vi.fn(() => {
      throw error;
    });
    const promise = Client.create({ model: 'https://models.test/m.gguf', onProgress }, () => worker);
    const { id } = worker.last('load');
    for (let loadedBytes = 0; loadedBytes < 5; loadedBytes++)
      worker.say({ type: 'progress', id, progress: { phase: 'download', loadedBytes, totalBytes: 5 } });
    worker.say({ type: 'loaded', id, info: INFO });
    await promise;
    expect(onProgress).toHaveBeenCalledTimes(5);
    expect(reported).toHaveBeenCalledExactlyOnceWith(error);
    vi.unstubAllGlobals();
  });

  it('downloads once: a restart has the bytes of the first download', async () => {
    const { client, worker, answer } = await connected();
    const { id } = worker().last('load');
    expect(worker().last('load').model.kind).toBe('url');
    worker().emit('error', { message: 'boom' });
    const first = client.complete('a', '');
    const model = new Blob(['GGUF']);
    worker().say({ type: 'loaded', id: worker().last('load').id, info: INFO, model });
    answer('x');
    await first;
    expect(id).not.toBe(worker().last('load').id);
    worker().emit('error', { message: 'boom' });
    void client.complete('a', '').catch(() => undefined);
    expect(worker().last('load').model).toEqual({ kind: 'blob', blob: model });
  });

  it('copies the bytes of an ArrayBuffer, so that a restart has them', async () => {
    const model = new Uint8Array([1, 2, 3]).buffer;
    const { client, worker } = await connected({ model });
    structuredClone(model, { transfer: [model] }); // the caller gives its buffer away
    worker().emit('error', { message: 'boom' });
    void client.complete('a', '').catch(() => undefined);
    const source = worker().last('load').model;
    expect(source.kind === 'blob' && [...new Uint8Array(await source.blob.arrayBuffer())]).toEqual([1, 2, 3]);
  });

  it('says when a worker cannot be started at all', async () => {
    const promise = Client.create({ model: 'https://models.test/m.gguf' }, () => {
      throw new DOMException('refused by policy', 'SecurityError');
    });
    await expect(promise).rejects.toMatchObject({ code: 'unsupported-browser' });
  });
});

describe('createWorker', () => {
  it('takes the place of the package’s worker, also after a death', async () => {
    const workers: FakeWorker[] = [];
    const createWorker = (): Worker => {
      workers.push(new FakeWorker());
      return workers.at(-1) as unknown as Worker;
    };
    const { client, workers: others } = await connected({ createWorker });
    workers[0]?.emit('error', { message: 'boom' });
    void client.complete('a', '').catch(() => undefined);
    expect(workers).toHaveLength(2);
    expect(others).toHaveLength(0);
  });

  it('that gives no worker is named', async () => {
    const promise = Client.create({ model: 'https://models.test/m.gguf' }, () => null as never);
    await expect(promise).rejects.toMatchObject({
      code: 'unsupported-browser',
      found: 'TypeError: createWorker gave no worker',
    });
  });
});

describe('dispose', () => {
  it('ends the worker and rejects what is pending and what comes after', async () => {
    const { client, worker } = await connected();
    const pending = [client.complete('a', ''), client.tokenize('b')];
    client.dispose();
    client.dispose();
    for (const promise of pending) await expect(promise).rejects.toMatchObject({ code: 'disposed' });
    await expect(client.complete('c', '')).rejects.toMatchObject({ code: 'disposed' });
    await expect(client.tokenize('c')).rejects.toMatchObject({ code: 'disposed' });
    expect(worker().terminated).toBe(true);
  });
});

describe('tokenize', () => {
  it.each([
    [7, 'a string', 'the number 7'],
    ['x'.repeat(1_000_001), 'at most 1000000 characters long', '1000001 characters'],
  ])('refuses what is no text of bounded length', async (text, expected, found) => {
    const { client, worker } = await connected();
    const refused = { code: 'request-invalid', expected, found };
    await expect(client.tokenize(text as string)).rejects.toMatchObject(refused);
    expect(worker().all('tokenize')).toHaveLength(0);
  });

  it('is not superseded by a completion', async () => {
    const { client, worker, answer } = await connected();
    const tokens = client.tokenize('text');
    const completion = client.complete('a', '');
    worker().say({ type: 'tokens', id: worker().last('tokenize').id, tokens: [1, 2] });
    answer('x');
    expect(await tokens).toEqual([1, 2]);
    await completion;
  });
});
