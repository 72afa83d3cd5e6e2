/** Keystroke to suggestion: the typing trace through the public API, on both models. */
import { table } from '../lib/report.mjs';
import { latencies, round } from '../lib/stats.mjs';

const COMPLETE = { format: 'prefix', beamWidth: 4 };
const MODES = { 'every key answered': { paced: false, debounceMs: 0 }, paced: { paced: true, debounceMs: 0 } };
/** Milliseconds from a key to its suggestion. */
const TARGETS = { small: { p50: 30, p95: 80 }, model: { p50: 150, p95: 350 } };

export async function run({ browser, sizes, modes, quick, previous, log }) {
  const result = { options: COMPLETE, targets: TARGETS, rows: previous('trace')?.rows ?? [] };
  for (const model of sizes) {
    const page = await browser.open();
    const { languages, info } = await page.call('trace', 'load', `/${model}.gguf`, COMPLETE);
    for (const [mode, how] of Object.entries(MODES).filter(([name]) => !modes || modes.includes(name))) {
      const samples = [];
      for (const [index, language] of (quick ? languages.slice(0, 1) : languages).entries()) {
        const session = await page.call('trace', 'replay', index, how);
        samples.push(...session.map((sample) => ({ language, ...sample })));
        log(`trace: ${model}, ${mode}, ${language}: ${session.length} keys`);
      }
      const all = samples.map(({ ms }) => (ms === undefined ? null : round(ms)));
      result.rows.push({ model, name: info.name, mode, ...summary(samples), samples: all });
    }
    await page.close();
  }
  return result;
}

function summary(samples) {
  const answered = samples.filter((sample) => sample.outcome === 'answered');
  const of = (pick) => latencies(answered.map(pick));
  const reused = answered.filter(({ stats }) => stats.reusedTokens >= 0.9 * stats.promptTokens);
  return {
    keys: samples.length,
    answered: answered.length,
    shown: answered.filter((sample) => sample.shown > 0).length,
    ms: of((sample) => sample.ms),
    prefillMs: of(({ stats }) => stats.prefillMs),
    decodeMs: of(({ stats }) => stats.decodeMs),
    newTokens: of(({ stats }) => stats.newTokens),
    promptTokens: of(({ stats }) => stats.promptTokens),
    reusing90Percent: round(reused.length / answered.length),
    byLanguage: Object.fromEntries(
      [...new Set(samples.map((sample) => sample.language))].map((language) => [
        language,
        latencies(answered.filter((sample) => sample.language === language).map((sample) => sample.ms)),
      ]),
    ),
  };
}

export function render({ rows, targets }) {
  const met = (row, key) => `${row.ms[key]}${row.ms[key] > targets[row.model][key] ? ` (target ${targets[row.model][key]})` : ''}`;
  const cells = rows.map((row) => [
    row.name,
    row.mode,
    `${row.answered} of ${row.keys}`,
    row.shown,
    met(row, 'p50'),
    met(row, 'p95'),
    row.ms.p99,
    row.ms.max,
    `${row.prefillMs.p50} + ${row.decodeMs.p50}`,
    `${(100 * row.reusing90Percent).toFixed(1)} %`,
  ]);
  const head = ['model', 'keys', 'answered', 'with a suggestion', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms'];
  return table([...head, 'reading + generating, p50 ms', 'reused >= 90 % of the prompt'], cells);
}
