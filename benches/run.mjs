#!/usr/bin/env node
/**
 * `make bench`: everything that benches/README.md holds, measured in one run.
 *
 *   node benches/run.mjs [--quick] [--only PARTS] [--reps 5] [--label NAME] [--no-record] [--append]
 *                        [--model FILE] [--small FILE] [--sizes small,model] [--prompts 466,1024]
 *                        [--modes "every key answered,paced"] [--contenders "wllama;midline relaxed"] [--minutes N]
 *
 * Writes results/<date>-<label>.json, the drawings, and the sections of README.md of the parts that ran. `--quick` is for a look:
 * two repetitions and a part of the work; it records nothing. `--append` adds to what this day's file holds of the part: a long
 * part can be measured in several calls, each interleaved within itself. After `--minutes` the rates begin no further repetition.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { launch } from './lib/browser.mjs';
import { describeMachine, record, recorded } from './lib/report.mjs';
import { serve } from './lib/server.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = dirname(HERE);
/** In the order they run. Each gives `run(bench)`, a plain result, and `render(result)`, Markdown. */
const PARTS = ['sizes', 'load', 'trace', 'cancel', 'steps', 'threads', 'growth', 'roofline', 'rates'];
const DIST = join(ROOT, 'www/dist/');

const { values: options } = parseArgs({
  options: {
    model: { type: 'string', default: join(ROOT, 'models/SmolLM2-135M-Instruct.Q4_1.gguf') },
    small: { type: 'string', default: defaultModel() },
    reps: { type: 'string', default: '5' },
    only: { type: 'string' },
    contenders: { type: 'string' },
    label: { type: 'string' },
    quick: { type: 'boolean', default: false },
    modes: { type: 'string' },
    minutes: { type: 'string', default: 'Infinity' },
    append: { type: 'boolean', default: false },
    sizes: { type: 'string', default: 'small,model' },
    prompts: { type: 'string', default: '466,1024' },
    'no-record': { type: 'boolean', default: false },
  },
});

function defaultModel() {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'models/manifest.json'), 'utf8'));
  return join(ROOT, 'models', manifest.models.find(({ id }) => id === manifest.default).file);
}

/** The commit that was measured, `-dirty` with changes. */
function revision() {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { cwd: ROOT, encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}

const list = (text) => text?.split(',').map((name) => name.trim());

function chosenParts() {
  const only = list(options.only) ?? PARTS;
  const unknown = only.filter((name) => !PARTS.includes(name));
  if (unknown.length > 0) throw new Error(`no part ${unknown.join(', ')}; there are ${PARTS.join(', ')}`);
  return PARTS.filter((name) => only.includes(name));
}

function install(folder) {
  if (existsSync(join(folder, 'node_modules'))) return;
  try {
    execFileSync('npm', ['ci'], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (error) {
    throw new Error(`npm ci in ${folder} failed: ${String(error.stderr).trim().split('\n').at(-1)}`);
  }
}

async function main() {
  const parts = chosenParts();
  const [model, small] = [resolve(options.model), resolve(options.small)];
  for (const file of [model, small]) if (!existsSync(file)) throw new Error(`no model at ${file}; models/fetch brings it`);
  install(HERE);
  const began = performance.now();
  const seconds = () => `${((performance.now() - began) / 1000).toFixed(0)} s`;
  const mounts = {
    '/': join(HERE, 'page/'),
    '/trace.json': join(HERE, 'trace/typing.json'),
    '/prompt-short.txt': join(HERE, 'prompt-short.txt'),
    '/prompt-466.txt': join(HERE, 'prompt-466.txt'),
    '/prompt-1024.txt': join(HERE, 'prompt-1024.txt'),
    '/model.gguf': model,
    '/small.gguf': small,
    '/wllama/': join(HERE, 'node_modules/@wllama/wllama/esm/'),
    '/midline/': DIST,
    '/midline-wasm/': join(ROOT, 'www/src/wasm/'),
  };
  const server = await serve(mounts);
  const browser = await launch(server.origin);
  const bench = {
    ROOT, HERE, DIST, browser, model, small, mounts, install,
    reps: options.quick ? 2 : Math.max(1, Number(options.reps) || 1),
    quick: options.quick,
    isOver: () => performance.now() - began > 60_000 * Number(options.minutes),
    draws: !options['no-record'] && !options.quick,
    sizes: list(options.sizes),
    modes: list(options.modes),
    prompts: list(options.prompts).map(Number),
    contenders: options.contenders?.split(';'),
    log: (text) => console.error(`${seconds().padStart(6)}  ${text}`),
  };
  const result = {
    date: new Date().toISOString().slice(0, 10),
    command: ['node benches/run.mjs', ...process.argv.slice(2).map((a) => (existsSync(a) ? '<model>' : a))].join(' '),
    machine: describeMachine(),
    models: { model: model.split('/').at(-1), small: small.split('/').at(-1) },
    versions: {
      chromium: browser.version,
      node: process.version,
      midline: revision(),
      wllama: JSON.parse(readFileSync(join(HERE, 'node_modules/@wllama/wllama/package.json'))).version,
    },
    parts: {},
  };
  bench.previous = (part) => (options.append ? recorded(HERE, result, options.label, part) : undefined);
  const failed = [];
  try {
    for (const name of parts) {
      bench.log(`${name}: begins`);
      try {
        const { run, render } = await import(`./parts/${name}.mjs`);
        result.parts[name] = await run(bench);
        const section = render(result.parts[name]);
        console.log(`\n${section}\n`);
        // At once: what comes later may fail or be stopped.
        result.machine.loadAverageAtEnd = describeMachine().loadAverage1Min;
        result.seconds = Math.round((performance.now() - began) / 1000);
        const measured = { ...result, parts: { [name]: result.parts[name] } };
        if (!options['no-record'] && !options.quick) record(HERE, measured, { [name]: section }, options.label);
      } catch (error) {
        // The other parts are worth having.
        failed.push(name);
        bench.log(`${name}: failed: ${error.stack}`);
      }
    }
  } finally {
    await browser.close();
    server.close();
  }
  bench.log(failed.length > 0 ? `done, without ${failed.join(', ')}` : 'done');
  if (failed.length > 0) process.exitCode = 1;
}

await main();
