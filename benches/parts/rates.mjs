/** Prompt and generation rates beside wllama in the same browser and llama.cpp outside it, interleaved. */
import { join } from 'node:path';
import { nativeContender } from '../lib/native.mjs';
import { table } from '../lib/report.mjs';
import { spread } from '../lib/stats.mjs';
import { variants } from '../lib/variants.mjs';

const PROMPTS = [466, 1024];
const NEW_TOKENS = 32;
const PEERS = ['wllama', 'native'];

function inPage({ DIST }) {
  const model = '/model.gguf';
  return {
    ...Object.fromEntries(variants(DIST).map((variant) => [`midline ${variant}`, { kind: 'engine', variant, model }])),
    'midline api, 1 thread': { kind: 'api', model, threads: 1 },
    'midline api, 2 threads': { kind: 'api', model, threads: 2 },
    wllama: { kind: 'wllama', model },
  };
}

async function contenders(bench) {
  const { HERE, browser, model, install, log } = bench;
  const wanted = (name) => !bench.contenders || bench.contenders.includes(name);
  const page = await browser.open();
  const all = Object.entries(inPage(bench)).map(([name, spec]) => ({
    name,
    where: browser.version,
    load: () => page.call('rates', 'load', name, spec),
    run: (prompt, newTokens) => page.call('rates', 'run', name, prompt, newTokens),
  }));
  try {
    install(join(HERE, 'native'));
    all.push(nativeContender(join(HERE, 'native/native.mjs'), model));
  } catch (error) {
    log(`native: left out: ${error.message}`);
  }
  return { page, rows: all.filter(({ name }) => wanted(name)).map((contender) => ({ ...contender, runs: [] })) };
}

export async function run(bench) {
  const { HERE, reps, log } = bench;
  const prompts = PROMPTS.map((tokens) => ({ tokens, url: `/prompt-${tokens}.txt`, file: join(HERE, `prompt-${tokens}.txt`) }));
  const { page, rows } = await contenders(bench);
  try {
    for (const row of rows) {
      try {
        row.facts = await row.load();
        await row.run(prompts[0], NEW_TOKENS); // warm: the browser compiles its optimised code now
        log(`rates: ${row.name}: loaded`);
      } catch (error) {
        row.failed = String(error.message).split('\n')[0];
        log(`rates: ${row.name}: left out: ${row.failed}`);
      }
    }
    for (let rep = 1; rep <= reps; rep++) {
      for (const prompt of prompts) {
        for (const row of rows.filter(({ failed }) => !failed)) {
          const run = await row.run(prompt, NEW_TOKENS);
          row.runs.push({ prompt: prompt.tokens, ...run });
          const rate = (tokens, ms) => ((1000 * tokens) / ms).toFixed(1);
          const [read, generated] = [rate(run.promptTokens, run.prefillMs), rate(run.newTokens, run.decodeMs)];
          log(`rates: ${rep} of ${reps}: ${prompt.tokens}: ${row.name}: prompt ${read}, generation ${generated} tok/s`);
        }
      }
    }
  } finally {
    await page.close();
    for (const row of rows) row.close?.();
  }
  return {
    reps,
    newTokens: NEW_TOKENS,
    rows: rows.map(({ name, where, facts, failed, runs }) => ({ name, where, facts, failed, rates: summarise(runs), runs })),
  };
}

function summarise(runs) {
  const of = (prompt, tokens, ms) =>
    spread(runs.filter((r) => r.prompt === prompt && r[ms] > 0).map((r) => (1000 * r[tokens]) / r[ms]));
  return PROMPTS.map((prompt) => ({
    prompt,
    promptTokensPerS: of(prompt, 'promptTokens', 'prefillMs'),
    newTokensPerS: of(prompt, 'newTokens', 'decodeMs'),
  }));
}

export function render({ rows, reps, newTokens }) {
  const measures = PROMPTS.flatMap((prompt, index) => [
    { index, key: 'promptTokensPerS', title: `prompt of ${prompt}, tok/s` },
    { index, key: 'newTokensPerS', title: `generation after ${prompt}, tok/s` },
  ]);
  const peers = PEERS.map((name) => rows.find((row) => row.name === name && !row.failed)).filter(Boolean);
  const cells = ({ rates }, { index, key }) => {
    const own = rates[index][key];
    if (!own) return '-';
    const times = peers.map((peer) => {
      const other = peer.rates[index][key];
      return other && peer.rates !== rates ? `${(own.median / other.median).toFixed(2)}x ${peer.name}` : undefined;
    });
    return [`${own.median} (${own.min}-${own.max})`, ...times.filter(Boolean)].join(', ');
  };
  const body = rows.map((row) =>
    row.failed ? [row.name, `not run: ${row.failed}`] : [row.name, ...measures.map((measure) => cells(row, measure))],
  );
  const text = `Median (min-max) of ${reps} interleaved repetitions, ${newTokens} new tokens.`;
  return `${table(['contender', ...measures.map(({ title }) => title)], body)}\n\n${text}`;
}
