#!/usr/bin/env node
/**
 * `make bench`: speed of Midline beside wllama in the same headless Chromium, and llama.cpp outside it.
 *
 *   node benches/run.mjs [--model FILE] [--reps 5] [--only "wllama,midline relaxed"] [--label NAME] [--no-record]
 *
 * One run: every contender is loaded and warmed up once, then the repetitions are interleaved, so that a busy moment of
 * the machine hits all. Writes results/<date>-<label>.json and the table in README.md.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openPage } from './lib/browser.mjs';
import { nativeContender } from './lib/native.mjs';
import { describeMachine, record, renderTable } from './lib/report.mjs';
import { serve } from './lib/server.mjs';
import { summarise } from './lib/stats.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = dirname(HERE);
const PROMPT_TOKENS = 466;
const NEW_TOKENS = 32;
const IN_PAGE = ['midline simd128', 'midline relaxed', 'midline api', 'wllama'];

const { values: options } = parseArgs({
  options: {
    model: { type: 'string', default: join(ROOT, 'models/SmolLM2-135M-Instruct.Q4_1.gguf') },
    reps: { type: 'string', default: '5' },
    only: { type: 'string' },
    label: { type: 'string' },
    'no-record': { type: 'boolean', default: false },
  },
});

function ensureInstalled(folder) {
  if (existsSync(join(folder, 'node_modules'))) return true;
  try {
    execFileSync('npm', ['ci'], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    return true;
  } catch (error) {
    console.error(`npm ci in ${folder} failed: ${String(error.stderr).trim().split('\n').at(-1)}`);
    return false;
  }
}

async function main() {
  const model = resolve(options.model);
  if (!existsSync(model)) throw new Error(`no model at ${model}; models/fetch brings it`);
  const shipped = join(ROOT, 'www/dist/wasm/');
  const wanted = (name) => !options.only || options.only.split(',').map((s) => s.trim()).includes(name);

  const server = await serve({
    '/': join(HERE, 'page/'),
    '/prompt.txt': join(HERE, 'prompt-466.txt'),
    '/model.gguf': model,
    '/wllama/': join(HERE, 'node_modules/@wllama/wllama/esm/'),
    '/midline/': join(ROOT, 'www/dist/'),
    '/midline-wasm/': existsSync(shipped) ? shipped : join(ROOT, 'www/src/wasm/'),
  });
  const browser = await openPage(`${server.origin}/index.html`);
  const contenders = IN_PAGE.filter(wanted).map((name) => ({
    name,
    where: browser.version,
    load: () => browser.page.evaluate((n) => window.bench.load(n), name),
    run: () => browser.page.evaluate((a) => window.bench.run(...a), [name, PROMPT_TOKENS, NEW_TOKENS]),
  }));
  if (wanted('native') && ensureInstalled(join(HERE, 'native'))) {
    contenders.push(nativeContender(join(HERE, 'native/native.mjs'), model, join(HERE, 'prompt-466.txt'), NEW_TOKENS));
  }

  try {
    const rows = [];
    for (const contender of contenders) {
      try {
        const facts = await contender.load();
        await contender.run(); // warm-up: the wasm engine compiles its optimised code now
        rows.push({ ...contender, facts, runs: [] });
        console.error(`${contender.name}: loaded ${JSON.stringify(facts)}`);
      } catch (error) {
        rows.push({ ...contender, runs: [], failed: String(error.message).split('\n')[0] });
        console.error(`${contender.name}: left out: ${rows.at(-1).failed}`);
      }
    }
    for (let rep = 0; rep < Number(options.reps); rep++) {
      for (const row of rows.filter((r) => !r.failed)) {
        const run = await row.run();
        row.runs.push(run);
        const rate = (tokens, ms) => (ms > 0 ? ((1000 * tokens) / ms).toFixed(1) : '-');
        const rates = [rate(run.promptTokens, run.prefillMs), rate(run.newTokens, run.decodeMs)];
        console.error(`rep ${rep + 1}: ${row.name}: prompt ${rates[0]}, generation ${rates[1]} tok/s`);
      }
    }
    const result = {
      date: new Date().toISOString().slice(0, 10),
      command: ['node benches/run.mjs', ...process.argv.slice(2).map((a) => (existsSync(a) ? '<model>' : a))].join(' '),
      machine: describeMachine(),
      model: { file: model.split('/').at(-1), promptTokens: PROMPT_TOKENS, newTokens: NEW_TOKENS },
      versions: {
        chromium: browser.version,
        node: process.version,
        wllama: JSON.parse(readFileSync(join(HERE, 'node_modules/@wllama/wllama/package.json'))).version,
      },
      rows: rows.map(({ name, where, facts, failed, runs }) => ({ name, where, facts, failed, ...summarise(runs), runs })),
    };
    console.log(renderTable(result));
    if (!options['no-record']) record(HERE, result, options.label);
  } finally {
    await browser.close();
    server.close();
    for (const contender of contenders) contender.close?.();
  }
}

ensureInstalled(HERE) || process.exit(1);
await main();
