/** How long a step is, which is how long a cancel may have to wait: reading and generating with four beams. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { table } from '../lib/report.mjs';
import { latencies, round } from '../lib/stats.mjs';
import { fastestVariant } from '../lib/variants.mjs';

const LIMIT_MS = { small: 15, model: 20 };
const RUNS = 8;

export async function run({ HERE, DIST, browser, sizes, log }) {
  const text = readFileSync(join(HERE, 'prompt-466.txt'), 'utf8').split('\n');
  const result = { variant: fastestVariant(DIST), rows: [] };
  for (const model of sizes) {
    const page = await browser.open();
    const { info } = await page.call('engine', 'load', { variant: result.variant, model: `/${model}.gguf` });
    const [prefill, decode] = [[], []];
    for (let i = 0; i <= RUNS; i++) {
      // Turned, so that the whole prompt is read.
      const at = (7 * i) % text.length;
      const prefix = `# ${i}\n${[...text.slice(at), ...text.slice(0, at)].join('\n')}\n    total = `;
      const { stepsMs, stats } = await page.call('engine', 'steps', { prefix, suffix: '', format: 'prefix', beamWidth: 4 });
      if (i === 0) continue; // the browser compiles, the pace is found
      const generating = stats.newTokens - 1;
      prefill.push(...stepsMs.slice(0, stepsMs.length - generating));
      decode.push(...stepsMs.slice(stepsMs.length - generating));
    }
    await page.close();
    for (const [phase, ms] of [['reading', prefill], ['generating, 4 beams', decode]]) {
      const over = ms.filter((took) => took > LIMIT_MS[model]).length / ms.length;
      result.rows.push({ name: info.name, phase, limitMs: LIMIT_MS[model], ...latencies(ms), overPercent: round(100 * over) });
    }
    log(`steps: ${info.name}: ${prefill.length + decode.length} steps`);
  }
  return result;
}

export function render({ rows, variant }) {
  const head = ['model', `step (${variant})`, 'steps', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms', 'limit ms', 'over the limit'];
  return table(head, rows.map((r) => [r.name, r.phase, r.n, r.p50, r.p95, r.p99, r.max, r.limitMs, `${r.overPercent} %`]));
}
