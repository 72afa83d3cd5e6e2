/** Two threads against one, of our own fastest build: the other core idle, and held by a loop that never rests. */
import { spawn } from 'node:child_process';
import { serve } from '../lib/server.mjs';
import { table } from '../lib/report.mjs';
import { round, spread } from '../lib/stats.mjs';
import { fastestVariant } from '../lib/variants.mjs';

const PROMPT_TOKENS = 466;
const NEW_TOKENS = 32;
const CONTENDERS = [
  { name: '1 thread', isolated: true, options: { threads: 1 } },
  { name: '1 thread, page not isolated', isolated: false, options: { threads: 1 } },
  { name: '2 threads', isolated: true, options: { threads: 2 } },
  { name: 'up to 2 threads, measured', isolated: true, options: { maxThreads: 2 } },
];
const TARGETS = { prompt: 1.7, generation: 1.3, busy: 0.95 };

export async function run({ DIST, browser, mounts, reps, sizes, log }) {
  const variant = fastestVariant(DIST);
  const unisolated = await serve(mounts, { isolated: false });
  const result = { variant, promptTokens: PROMPT_TOKENS, newTokens: NEW_TOKENS, reps, targets: TARGETS, rows: [] };
  try {
    for (const model of sizes) {
      const opened = [];
      for (const contender of CONTENDERS) {
        const page = await browser.open(contender.isolated ? undefined : unisolated.origin);
        const { info } = await page.call('engine', 'load', { variant, model: `/${model}.gguf`, ...contender.options });
        await page.call('engine', 'bench', 64, 8); // the browser compiles
        opened.push({ ...contender, page, info });
      }
      const promptTokens = Math.min(PROMPT_TOKENS, opened[0].info.contextTokens - NEW_TOKENS);
      for (const busy of [false, true]) {
        const runs = await interleave(opened, promptTokens, reps, busy);
        result.rows.push(...summary(opened, runs, promptTokens, busy));
        log(`threads: ${opened[0].info.name}, ${busy ? 'a busy loop beside' : 'the other core idle'}`);
      }
      for (const { page } of opened) await page.close();
    }
  } finally {
    unisolated.close();
  }
  return result;
}

async function interleave(opened, promptTokens, reps, busy) {
  const loop = busy ? spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }) : undefined;
  const runs = opened.map(() => []);
  try {
    for (let rep = 0; rep <= reps; rep++) {
      for (const [i, { page }] of opened.entries()) {
        await page.page.bringToFront(); // a page behind another has a lower priority
        const run = await page.call('engine', 'bench', promptTokens, NEW_TOKENS);
        if (rep > 0) runs[i].push(run); // the first round finds out how many threads pay
      }
    }
  } finally {
    loop?.kill();
  }
  return runs;
}

function summary(opened, runs, promptTokens, busy) {
  const rates = runs.map((own) => ({
    prompt: spread(own.map(({ prefillMs }) => (1000 * promptTokens) / prefillMs)),
    generation: spread(own.map(({ decodeMs }) => (1000 * NEW_TOKENS) / decodeMs)),
  }));
  const times = (own, what) => round(own[what].median / rates[0][what].median);
  return opened.map(({ name, info }, i) => ({
    model: info.name,
    busy,
    name,
    ...rates[i],
    timesOneThread: { prompt: times(rates[i], 'prompt'), generation: times(rates[i], 'generation') },
  }));
}

export function render({ rows, variant, promptTokens, newTokens, reps, targets }) {
  const cell = (s, times) => `${s.median} (${s.min}-${s.max}), ${times}x`;
  const body = rows.map((row) => [
    row.model,
    row.busy ? 'busy' : 'idle',
    row.name,
    cell(row.prompt, row.timesOneThread.prompt),
    cell(row.generation, row.timesOneThread.generation),
  ]);
  const head = ['model', 'other core', `threads (${variant})`, 'prompt tok/s, x one thread', 'generation tok/s, x one thread'];
  return (
    `${table(head, body)}\n\nPrompts of at most ${promptTokens} tokens, ${newTokens} new ones; median (min-max) of ${reps} interleaved repetitions. ` +
    `Targets: ${targets.prompt}x and ${targets.generation}x with the other core idle, at least ${targets.busy}x with a busy loop on it.`
  );
}
