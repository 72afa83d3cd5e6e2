/** How the cost grows: with the context, with the beams, with the size of the model. Three drawings. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeRandomModel } from '../lib/gguf.mjs';
import { table } from '../lib/report.mjs';
import { line, round, spread } from '../lib/stats.mjs';
import { chart } from '../lib/svg.mjs';
import { fastestVariant } from '../lib/variants.mjs';

const CONTEXTS = [128, 384, 640, 896, 1152, 1408, 1536];
const QUICK_CONTEXTS = [128, 640];
const BEAMS = [1, 2, 3, 4, 6, 8];
const NEW_TOKENS = 16;
/** Shapes between the two real models, in the proportions of SmolLM2 or of the default model. */
const SHAPES = [
  { name: '12M', width: 320, ffn: 864, layers: 8, heads: 5, kvHeads: 5, vocab: 8192 },
  { name: '31M', width: 384, ffn: 1024, layers: 16, heads: 6, kvHeads: 2, vocab: 16_384 },
  { name: '71M', width: 512, ffn: 1376, layers: 22, heads: 8, kvHeads: 4, vocab: 16_384 },
];

export async function run(bench) {
  const variant = fastestVariant(bench.DIST);
  const page = await bench.browser.open();
  const open = (model) => page.call('engine', 'load', { variant, model });
  const result = { variant };
  try {
    result.context = await byContext(bench, page, open);
    result.beams = await byBeams(bench, page, open);
    result.size = await bySize(bench, page, open);
  } finally {
    await page.close();
  }
  if (bench.draws) draw(bench.HERE, result);
  return result;
}

/** Milliseconds a generated token, by the tokens before it. */
async function byContext({ log, reps, quick }, page, open) {
  const contexts = quick ? QUICK_CONTEXTS : CONTEXTS;
  const { info } = await open('/model.gguf');
  const runs = new Map(contexts.map((context) => [context, []]));
  await page.call('engine', 'bench', 64, NEW_TOKENS);
  for (let rep = 0; rep < reps; rep++) {
    for (const context of contexts) {
      const { prefillMs, decodeMs } = await page.call('engine', 'bench', context, NEW_TOKENS);
      runs.get(context).push({ ms: decodeMs / NEW_TOKENS, prefillMs });
    }
    log(`growth: context, repetition ${rep + 1}`);
  }
  const rows = contexts.map((context) => ({
    context,
    msAToken: spread(runs.get(context).map((run) => run.ms)),
    prefillMs: spread(runs.get(context).map((run) => run.prefillMs)),
  }));
  const fit = line(rows.map(({ context, msAToken }) => [context + NEW_TOKENS / 2, msAToken.median]));
  const kvBytes = info.kvBytes / info.contextTokens;
  return {
    name: info.name,
    rows,
    microsecondsAContextToken: round(1000 * fit.slope),
    interceptMs: round(fit.intercept),
    kvBytesAContextToken: kvBytes,
    kvGigabytesPerS: round(kvBytes / fit.slope / 1e6),
  };
}

/** Milliseconds a step, by beams, on one prompt that stays in the cache. */
async function byBeams({ log, reps }, page, open) {
  const models = [];
  for (const model of ['small', 'model']) {
    const { info } = await open(`/${model}.gguf`);
    const runs = new Map(BEAMS.map((beams) => [beams, []]));
    for (let rep = 0; rep <= reps; rep++) {
      for (const beamWidth of BEAMS) {
        const prefix = 'COLOURS = ["red", "green", "blue"]\nSIZES = [1, 2, 3]\n\ndef mix(first, second, third):\n    return ';
        const { stepsMs, stats } = await page.call('engine', 'steps', { prefix, suffix: '', format: 'prefix', beamWidth });
        const generating = stepsMs.slice(stepsMs.length - (stats.newTokens - 1));
        if (rep > 0) runs.get(beamWidth).push(...generating);
      }
    }
    log(`growth: beams, ${info.name}`);
    const rows = BEAMS.map((beams) => ({ beams, msAStep: spread(runs.get(beams)) })).filter(({ msAStep }) => msAStep);
    const one = rows[0].msAStep.median;
    models.push({ name: info.name, rows: rows.map((row) => ({ ...row, timesOneBeam: round(row.msAStep.median / one) })) });
  }
  return models;
}

/** Milliseconds a generated token and prompt rate, by weights; the sizes interleaved is not possible, one is loaded at a time. */
async function bySize({ log, reps, mounts }, page, open) {
  const folder = mkdtempSync(join(tmpdir(), 'midline-bench-'));
  const rows = [];
  try {
    const files = SHAPES.map((shape) => {
      const file = `/random-${shape.name}.gguf`;
      mounts[file] = join(folder, file);
      writeRandomModel(mounts[file], shape);
      return file;
    });
    for (const file of ['/small.gguf', ...files, '/model.gguf']) {
      const { info } = await open(file);
      const contextTokens = Math.min(256, info.contextTokens - NEW_TOKENS);
      const runs = [];
      for (let rep = 0; rep <= reps; rep++) runs.push(await page.call('engine', 'bench', contextTokens, NEW_TOKENS));
      runs.shift();
      rows.push({
        name: info.name,
        parameters: info.parameters,
        msAToken: spread(runs.map((run) => run.decodeMs / NEW_TOKENS)),
        promptTokensPerS: spread(runs.map((run) => (1000 * contextTokens) / run.prefillMs)),
      });
      log(`growth: size, ${info.name}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return rows;
}

function draw(folder, { context, beams, size, variant }) {
  const point = (x, s) => [x, s.median, s.min, s.max];
  const { microsecondsAContextToken, interceptMs } = context;
  const fit = { slope: microsecondsAContextToken / 1000, intercept: interceptMs };
  const files = {
    context: {
      title: `Time a generated token by context (${variant})`, x: 'tokens before it', y: 'ms a token',
      series: [{ name: context.name, points: context.rows.map((r) => point(r.context, r.msAToken)), line: fit }],
    },
    beams: {
      title: `Time a step by beams, one beam = 1 (${variant})`, x: 'beams', y: 'times one beam',
      series: beams.map(({ name, rows }) => ({ name, points: rows.map((r) => [r.beams, r.timesOneBeam]) })),
    },
    size: {
      title: `Time a generated token by size (${variant}, context 256)`, x: 'millions of weights', y: 'ms a token',
      series: [{ name: 'real and random models', points: size.map((r) => point(r.parameters / 1e6, r.msAToken)) }],
    },
  };
  for (const [name, drawing] of Object.entries(files)) writeFileSync(join(folder, `growth-${name}.svg`), chart(drawing));
}

export function render({ context, beams, size }) {
  const contexts = table(
    ['context', 'ms a generated token', 'prompt tok/s'],
    context.rows.map((r) => [r.context, cell(r.msAToken), round((1000 * r.context) / r.prefillMs.median)]),
  );
  const widths = beams.map(({ name, rows }) =>
    table([`beams, ${name}`, 'ms a step', 'times one beam'], rows.map((r) => [r.beams, cell(r.msAStep), r.timesOneBeam])),
  );
  const sizes = table(
    ['model', 'million weights', 'ms a generated token', 'prompt tok/s'],
    size.map((r) => [r.name, (r.parameters / 1e6).toFixed(1), cell(r.msAToken), cell(r.promptTokensPerS)]),
  );
  const slope =
    `${context.name}: ${context.interceptMs} ms a token and ${context.microsecondsAContextToken} µs for each token before it. ` +
    `Keys and values of one token are ${context.kvBytesAContextToken} bytes, read once: ${context.kvGigabytesPerS} GB/s.`;
  const drawn = ['context', 'beams', 'size'].map((name) => `![growth by ${name}](growth-${name}.svg)`);
  return [drawn[0], contexts, slope, drawn[1], ...widths, drawn[2], sizes].join('\n\n');
}

const cell = (s) => `${s.median} (${s.min}-${s.max})`;
