/** An editor that is mounted and unmounted a hundred times leaves nothing behind: no worker, no listener, no lock, no memory. */
import type { Browser, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launch, uncaughtErrors } from './support/browser.js';
import { editorsSite, openEditors, type Kind } from './support/editors.js';
import { MODEL, openPackagePage, packageSite, type Site } from './support/sites.js';

const TIMES = 100;

let browser: Browser;
let site: Site;
let page: Page;
let devtools: CDPSession;
beforeAll(async () => {
  [browser, site] = await Promise.all([launch(), packageSite()]);
  page = await browser.newPage();
  await openPackagePage(page, site);
  devtools = await page.context().newCDPSession(page);
});
afterAll(async () => {
  await browser?.close();
  await site?.close();
});

/** What the page holds after a collection of garbage, as the browser counts it. */
async function held(): Promise<Record<'listeners' | 'nodes' | 'documents', number>> {
  await devtools.send('HeapProfiler.collectGarbage');
  const { jsEventListeners, nodes, documents } = await devtools.send('Memory.getDOMCounters');
  return { listeners: jsEventListeners, nodes, documents };
}

/** What grew with the rounds: a thing kept by each would be there a hundred times. An editor's own few come and go. */
async function grown(before: Awaited<ReturnType<typeof held>>): Promise<string[]> {
  const now = await held();
  const kinds = Object.keys(now) as (keyof typeof now)[];
  return kinds
    .filter((kind) => now[kind] > before[kind] + TIMES / 4)
    .map((kind) => `${kind}: ${before[kind]}, now ${now[kind]}`);
}

/** Workers of this page, also those that its own bookkeeping forgot. */
async function workers(): Promise<number> {
  const { targetInfos } = await devtools.send('Target.getTargets', { filter: [{ type: 'worker' }] });
  return targetInfos.length;
}

const locks = (): Promise<number> =>
  page.evaluate(async () => {
    const { held = [], pending = [] } = await navigator.locks.query();
    return held.length + pending.length;
  });

/** Opens and closes an editor of the page with both adapters, with a suggestion on display. */
function cycleEditor(kind: Kind, times: number): Promise<number> {
  return page.evaluate(
    async ([kind, times]) => {
      const { editors } = globalThis;
      const wait = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
      let shown = 0;
      for (let i = 0; i < times; i++) {
        editors.scripted.reset({ foo: ['bar'] });
        await editors.open(kind, 'foo|', { debounceMs: 0 });
        editors.current?.run('trigger');
        for (let j = 0; j < 200 && editors.current?.ghost().trim() !== 'bar'; j++) await wait();
        if (editors.current?.ghost().trim() === 'bar') shown++;
        editors.close();
      }
      return shown;
    },
    [kind, times] as const,
  );
}

/** Mounts and unmounts `times`: with an answer, with an aborted request, and mostly while an answer is awaited. */
function cycle(times: number): Promise<string[]> {
  return page.evaluate(
    async ([model, times]) => {
      const bytes = await (await fetch(model)).arrayBuffer();
      const outcomes = new Set<string>();
      const note = (outcome: Promise<unknown>): Promise<void> =>
        outcome.then(
          () => void outcomes.add('resolved'),
          (error: { code: unknown; name: string }) =>
            void outcomes.add(typeof error.code === 'string' ? error.code : error.name),
        );
      for (let i = 0; i < times; i++) {
        const abort = new AbortController();
        const completer = await globalThis.midline.createCompleter({ model: bytes });
        const pending = note(completer.complete('def add(a, b):\n    return ', '', { signal: abort.signal }));
        if (i % 10 === 0) await pending;
        if (i % 10 === 1) abort.abort();
        completer.dispose();
        await pending;
      }
      return [...outcomes].sort();
    },
    [`../models/${MODEL}`, times] as const,
  );
}

describe(`${TIMES} times createCompleter, complete, dispose`, () => {
  it('leave no worker, no listener and no lock', async () => {
    const errors = uncaughtErrors(page);
    await cycle(3); // what is made once, is made now
    await expect.poll(workers).toBe(0);
    const before = await held();
    expect(await cycle(TIMES)).toEqual(['AbortError', 'disposed', 'resolved']);
    await expect.poll(workers).toBe(0);
    await expect.poll(locks).toBe(0);
    await expect.poll(() => grown(before)).toEqual([]);
    expect(errors).toEqual([]);
  }, 300_000);

  it('would be seen otherwise', async () => {
    const before = await held();
    await page.evaluate(async (model) => {
      globalThis.addEventListener('focus', () => undefined);
      Object.assign(globalThis, { kept: await globalThis.midline.createCompleter({ model }) });
    }, `../models/${MODEL}`);
    expect((await held()).listeners).toBeGreaterThan(before.listeners);
    expect(await workers()).toBe(1);
    expect(await locks()).toBe(2); // the worker's, and the page that waits for it
  });
});

describe.each(['monaco', 'codemirror'] as const)(`${TIMES} times an editor with a suggestion: %s`, (kind) => {
  it('leave no listener and no node', async () => {
    const site = await editorsSite();
    page = await browser.newPage();
    devtools = await page.context().newCDPSession(page);
    try {
      await openEditors(page, site);
      await cycleEditor(kind, 5); // what an editor makes once, is made now
      const before = await held();
      expect(await cycleEditor(kind, TIMES)).toBe(TIMES);
      await expect.poll(() => grown(before)).toEqual([]);
    } finally {
      await page.close();
      await site.close();
    }
  }, 180_000);
});
