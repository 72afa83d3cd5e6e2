/**
 * A worker of the built package, spoken to by the protocol itself: the client starts a new one for each model,
 * and some tests are to show that one worker survives them all.
 */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { FromWorker } from '../../../www/src/client/protocol.js';
import { MODEL, type Site } from './sites.js';

declare global {
  // In the page: sends a request to the worker and gives its answer.
  // eslint-disable-next-line no-var
  var request: (message: object) => Promise<FromWorker>;
}

/** Starts the worker in the page and loads the model of the repository. */
export async function startWorker(page: Page, site: Site): Promise<void> {
  await page.evaluate(() => {
    const worker = new Worker('../dist/client/worker.js', { type: 'module' });
    const waiting = new Map<number, (message: FromWorker) => void>();
    let nextId = 1;
    const wasmUrl = (variant: string): string =>
      new URL(`../dist/wasm/${variant}/midline_bg.wasm`, location.href).href;
    const wasmUrls = { simd128: wasmUrl('simd128'), relaxed: wasmUrl('relaxed') };
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if (data.type === 'crashed') for (const answer of waiting.values()) answer(data);
      if (!('id' in data) || data.type === 'progress') return;
      waiting.get(data.id)?.(data);
      waiting.delete(data.id);
    };
    globalThis.request = (message) =>
      new Promise((resolve) => {
        waiting.set(nextId, resolve);
        worker.postMessage({ wasmUrls, ...message, id: nextId++ });
      });
  });
  const url = new URL(`models/${MODEL}`, `${site.url}/`).href;
  const loaded = await ask(page, { type: 'load', model: { kind: 'url', url } });
  expect(loaded.type).toBe('loaded');
}

/** Sends one request to the worker; a crash of the worker is an answer too. */
export function ask(page: Page, message: object): Promise<FromWorker> {
  return page.evaluate((m) => globalThis.request(m), message);
}
