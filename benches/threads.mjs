#!/usr/bin/env node
/**
 * One thread against several, of our own builds, in one interleaved run:
 *
 *   node benches/threads.mjs [--model FILE] [--threads 2] [--reps 5] [--prompt 466] [--new 32]
 *
 * Contenders are one thread (also on a page that is not isolated), N threads, and as many as are found to pay. Prints
 * tokens per second, the fastest sample and the median, their ratio to one thread, and the load of the machine.
 */
import { createReadStream, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { cpus, loadavg } from 'node:os';
import { dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openPage } from './lib/browser.mjs';
import { median } from './lib/stats.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const { values: options } = parseArgs({
  options: {
    model: { type: 'string', default: join(ROOT, 'models/SmolLM2-135M-Instruct.Q4_1.gguf') },
    threads: { type: 'string', default: '2' },
    reps: { type: 'string', default: '5' },
    prompt: { type: 'string', default: '466' },
    new: { type: 'string', default: '32' },
  },
});
const THREADS = Number(options.threads);
const [PROMPT, NEW] = [Number(options.prompt), Number(options.new)];

const PAGE = `<!doctype html><script type="module">
const call = (worker, message) => new Promise((resolve, reject) => {
  worker.onmessage = ({ data }) => (data.error ? reject(new Error(data.error)) : resolve(data.result));
  worker.onerror = (event) => reject(new Error(event.message));
  worker.postMessage(message);
});
const workers = {};
window.bench = {
  load(name, message) {
    workers[name] = new Worker('/worker.js', { type: 'module' });
    return call(workers[name], message);
  },
  run: (name, message) => call(workers[name], message),
};
</script>`;

const WORKER = `
let engine;
async function load({ helpers, options }) {
  const engineModule = await import('/wasm/relaxed/midline.js');
  const module = await WebAssembly.compileStreaming(fetch('/wasm/relaxed/midline_bg.wasm'));
  const { memory } = await engineModule.default({ module_or_path: module });
  for (let i = 0; i < helpers; i++) {
    new Worker('/helper.js', { type: 'module' }).postMessage({ module, memory });
  }
  while (helpers && engineModule.threadsReady() < 1 + helpers) await new Promise((done) => setTimeout(done, 5));
  const bytes = new Uint8Array(await (await fetch('/model.gguf')).arrayBuffer());
  const read = (offset, into) => into.set(bytes.subarray(offset, offset + into.length));
  const started = performance.now();
  engine = engineModule.Engine.load({ size: bytes.length, read }, { contextTokens: 1024, ...options });
  return { loadMs: performance.now() - started, isolated: crossOriginIsolated };
}
onmessage = async ({ data }) => {
  try {
    postMessage({ result: data.options ? await load(data) : engine.bench(data.prompt, data.new) });
  } catch (error) {
    postMessage({ error: error.message ?? String(error) });
  }
};`;

const HELPER = `
import { initSync, help } from '/wasm/relaxed/midline.js';
onmessage = ({ data }) => {
  initSync({ ...data, thread_stack_size: 262144 });
  help();
};`;

const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html', '.gguf': 'application/octet-stream' };
const ISOLATION = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };

async function serve(headers) {
  const texts = { '/index.html': PAGE, '/worker.js': WORKER, '/helper.js': HELPER };
  const server = createServer(({ url }, response) => {
    const file = url === '/model.gguf' ? resolve(options.model) : join(ROOT, 'www/src', url.replaceAll('..', ''));
    if (!(url in texts) && !existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': TYPES[extname(url)] ?? 'text/plain', ...headers });
    if (url in texts) response.end(texts[url]);
    else createReadStream(file).pipe(response);
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return { url: `http://127.0.0.1:${server.address().port}/index.html`, close: () => server.close() };
}

const pages = {
  isolated: await serve(ISOLATION),
  plain: await serve({}),
};
const opened = { isolated: await openPage(pages.isolated.url), plain: await openPage(pages.plain.url) };
const contenders = [
  ['1 thread', 'isolated', { helpers: 0, options: { threads: 1 } }],
  ['1 thread, not isolated', 'plain', { helpers: 0, options: { threads: 1 } }],
  [`${THREADS} threads`, 'isolated', { helpers: THREADS - 1, options: { threads: THREADS } }],
  [`up to ${THREADS} threads, measured`, 'isolated', { helpers: THREADS - 1, options: { maxThreads: THREADS } }],
].map(([name, where, message]) => ({ name, page: opened[where].page, message, runs: [] }));

try {
  for (const { name, page, message } of contenders) {
    console.error(name, JSON.stringify(await page.evaluate((a) => window.bench.load(...a), [name, message])));
    await page.evaluate((a) => window.bench.run(...a), [name, { prompt: 64, new: 8 }]); // compiles the hot functions
  }
  for (let rep = 0; rep < Number(options.reps); rep++) {
    for (const { name, page, runs } of contenders) {
      await page.bringToFront(); // a page behind another has a lower priority
      runs.push(await page.evaluate((a) => window.bench.run(...a), [name, { prompt: PROMPT, new: NEW }]));
    }
  }
} finally {
  for (const { close } of [...Object.values(opened), ...Object.values(pages)]) await close();
}

const rates = (runs) => ({
  prompt: runs.map(({ prefillMs }) => (1000 * PROMPT) / prefillMs),
  generation: runs.map(({ decodeMs }) => (1000 * NEW) / decodeMs),
});
const base = rates(contenders[0].runs);
console.log(`${resolve(options.model).split('/').at(-1)}, ${PROMPT} + ${NEW} tokens, ${opened.isolated.version}`);
console.log(`${cpus().length} processors, load ${loadavg().map((x) => x.toFixed(1)).join(' ')}, ${options.reps} interleaved repetitions`);
for (const { name, runs } of contenders) {
  const own = rates(runs);
  const cell = (what) =>
    `${what} ${Math.max(...own[what]).toFixed(0)} / ${median(own[what]).toFixed(0)} tokens/s` +
    ` (x ${(Math.max(...own[what]) / Math.max(...base[what])).toFixed(2)} / ${(median(own[what]) / median(base[what])).toFixed(2)})`;
  console.log(`${name.padEnd(32)} ${cell('prompt')}, ${cell('generation')}`);
}
