/** How many helper threads are started, and what is said when they do not come. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ThreadsInfo } from '../src/client/types.js';
import {
  help,
  startHelpers,
  wantedThreads,
  type HelpMessage,
  type ThreadedModule,
} from '../src/client/worker-threads.js';

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('crossOriginIsolated', true);
  vi.stubGlobal('navigator', { hardwareConcurrency: 8 });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('the number of threads', () => {
  it('is measured up to four, or what was asked for up to the most there may be', () => {
    expect(wantedThreads(undefined)).toEqual({ available: 4 });
    expect([2, 3, 500].map((n) => wantedThreads(n).available)).toEqual([2, 3, 16]);
    vi.stubGlobal('navigator', { hardwareConcurrency: 2 });
    expect(wantedThreads(undefined)).toEqual({ available: 2 });
  });

  it.each([
    ['requested', (): unknown => undefined, 1],
    ['not-isolated', (): unknown => vi.stubGlobal('crossOriginIsolated', false), undefined],
    ['not-isolated', (): unknown => vi.stubGlobal('crossOriginIsolated', undefined), 4],
    ['no-shared-memory', (): unknown => vi.stubGlobal('SharedArrayBuffer', undefined), undefined],
    ['one-processor', (): unknown => vi.stubGlobal('navigator', { hardwareConcurrency: 1 }), undefined],
    ['one-processor', (): unknown => vi.stubGlobal('navigator', {}), undefined],
  ] as const)('is one: %s', (reason, prepare, requested) => {
    prepare();
    expect(wantedThreads(requested)).toEqual({ available: 1, reason });
  });
});

/** Starts helpers that behave as told; gives what becomes known and how many workers were started. */
async function starting(wanted: ThreadsInfo, behaviour: (worker: EventTarget, ready: () => void) => void) {
  let threads = 1;
  let workers = 0;
  const module = { threadsReady: () => threads } as ThreadedModule;
  const started = startHelpers(wanted, module, {} as HelpMessage, () => {
    workers++;
    const worker = Object.assign(new EventTarget(), {
      postMessage: () => behaviour(worker, () => threads++),
    });
    return worker as unknown as Worker;
  });
  await vi.advanceTimersByTimeAsync(10_000);
  return { info: await started, workers };
}

const later = (what: () => void) => setTimeout(what, 30);

describe('the start', () => {
  it('waits until all are there', async () => {
    const { info, workers } = await starting({ available: 3 }, (_, ready) => later(ready));
    expect({ info, workers }).toEqual({ info: { available: 3 }, workers: 2 });
  });

  it('starts none for one thread', async () => {
    const wanted = { available: 1, reason: 'not-isolated' } as const;
    expect(await starting(wanted, () => undefined)).toEqual({ info: wanted, workers: 0 });
  });

  it('goes on with those that came when a script is refused', async () => {
    let first = true;
    const { info } = await starting({ available: 3 }, (worker, ready) => {
      if (first) ready();
      else later(() => worker.dispatchEvent(new Event('error')));
      first = false;
    });
    expect(info).toEqual({ available: 2, reason: 'helpers-failed', detail: 'its script was refused' });
  });

  it('goes on without helpers that say nothing, or cannot be started at all', async () => {
    const silent = await starting({ available: 2 }, () => undefined);
    expect(silent.info).toEqual({
      available: 1,
      reason: 'helpers-failed',
      detail: 'not ready after 2000 ms',
    });
    const refused = await starting({ available: 2 }, () => {
      throw new DOMException('no memory for that', 'DataCloneError');
    });
    expect(refused.info).toMatchObject({ available: 1, detail: 'DataCloneError: no memory for that' });
  });
});

it('a helper takes the memory of its owner before it helps', () => {
  const calls: unknown[] = [];
  const module: ThreadedModule = {
    initSync: (options) => calls.push(options),
    help: () => calls.push('help'),
    threadsReady: () => 1,
  };
  const [compiled, memory] = [{} as WebAssembly.Module, {} as WebAssembly.Memory];
  help(module, { type: 'help', variant: 'relaxed', module: compiled, memory });
  expect(calls).toEqual([{ module: compiled, memory, thread_stack_size: 262_144 }, 'help']);
});
