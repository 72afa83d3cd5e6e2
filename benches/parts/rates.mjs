/** Prompt and generation rates beside wllama in the same browser and llama.cpp outside it, interleaved. */
import { join } from 'node:path';
import { nativeContender } from '../lib/native.mjs';
import { table } from '../lib/report.mjs';
import { spread } from '../lib/stats.mjs';
import { variants } from '../lib/variants.mjs';

const NEW_TOKENS = 32;
const PEERS = ['wllama', 'native'];
/** Times the peer, on one thread. */
const TARGETS = { prompt: { wllama: 12, native: 1.2 }, generation: { wllama: 12, native: 1.5 } };

function inPage({ DIST }) {
  const model = '/model.gguf';
  return {
    ...Object.fromEntries(
      variants(DIST).flatMap((variant) =>
        [1, 2].map((threads) => [
          `midline ${variant}${threads > 1 ? `, ${threads} threads` : ''}`,
          { kind: 'engine', variant, model, threads },
        ]),
      ),
    ),
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
  const prompts = (bench.quick ? bench.prompts.slice(0, 1) : bench.prompts).map((tokens) => ({ tokens, url: `/prompt-${tokens}.txt`, file: join(HERE, `prompt-${tokens}.txt`) }));
  const warmUp = { tokens: 64, url: '/prompt-short.txt', file: join(HERE, 'prompt-short.txt'), isWarmUp: true };
  const { page, rows } = await contenders(bench);
  try {
    for (const row of rows) {
      try {
        row.facts = await row.load();
        await row.run(warmUp, NEW_TOKENS); // the browser compiles its optimised code now
        log(`rates: ${row.name}: loaded`);
      } catch (error) {
        row.failed = String(error.message).split('\n')[0];
        log(`rates: ${row.name}: left out: ${row.failed}`);
      }
    }
    for (let rep = 1; rep <= reps && !bench.isOver(); rep++) {
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
  const before = bench.previous('rates')?.rows ?? [];
  return {
    newTokens: NEW_TOKENS,
    targets: TARGETS,
    rows: rows.map(({ name, where, facts, failed, runs }) => {
      const all = [...(before.find((row) => row.name === name)?.runs ?? []), ...runs];
      return { name, where, facts, failed, rates: summarise(all), runs: all };
    }),
  };
}

function summarise(runs) {
  const of = (prompt, tokens, ms) =>
    spread(runs.filter((r) => r.prompt === prompt && r[ms] > 0).map((r) => (1000 * r[tokens]) / r[ms]));
  const prompts = [...new Set(runs.map(({ prompt }) => prompt))].sort((a, b) => a - b);
  return prompts.map((prompt) => ({
    prompt,
    promptTokensPerS: of(prompt, 'promptTokens', 'prefillMs'),
    newTokensPerS: of(prompt, 'newTokens', 'decodeMs'),
  }));
}

export function render({ rows, newTokens, targets }) {
  const prompts = [...new Set(rows.flatMap(({ rates }) => rates.map(({ prompt }) => prompt)))].sort((a, b) => a - b);
  const measures = prompts.flatMap((prompt) => [
    { prompt, key: 'promptTokensPerS', title: `prompt of ${prompt}, tok/s` },
    { prompt, key: 'newTokensPerS', title: `generation after ${prompt}, tok/s` },
  ]);
  const peers = PEERS.map((name) => rows.find((row) => row.name === name && !row.failed)).filter(Boolean);
  const cells = ({ rates }, { prompt, key }) => {
    const of = (all) => all.find((one) => one.prompt === prompt)?.[key];
    const own = of(rates);
    if (!own) return '-';
    const times = peers.map((peer) => {
      const other = of(peer.rates);
      return other && peer.rates !== rates ? `${(own.median / other.median).toFixed(2)}x ${peer.name}` : undefined;
    });
    return [`${own.median} (${own.min}-${own.max})`, ...times.filter(Boolean)].join(', ');
  };
  const body = rows.map((row) =>
    row.failed ? [row.name, `not run: ${row.failed}`] : [row.name, ...measures.map((measure) => cells(row, measure))],
  );
  const goal = (of) => PEERS.map((peer) => `${of[peer]}x ${peer}`).join(', ');
  const counts = [...new Set(rows.flatMap(({ rates }) => rates.map((one) => one.promptTokensPerS.n)))].join(' or ');
  const text =
    `Median (min-max) of ${counts} interleaved repetitions, ${newTokens} new tokens. ` +
    `Targets on one thread: prompt ${goal(targets.prompt)}; generation ${goal(targets.generation)}.`;
  return `${table(['contender', ...measures.map(({ title }) => title)], body)}\n\n${text}`;
}
