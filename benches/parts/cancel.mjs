/** Cancel: milliseconds until the worker is free, at random moments of reading and generating, both models. */
import { table } from '../lib/report.mjs';
import { latencies, random } from '../lib/stats.mjs';

const CANCELS = 320;
const A_BATCH = 40;
const TARGET_P99_MS = 20;

export async function run({ browser, sizes, quick, previous, log }) {
  const result = { targetP99Ms: TARGET_P99_MS, rows: previous('cancel')?.rows ?? [] };
  for (const model of sizes) {
    const page = await browser.open();
    const info = await page.call('cancel', 'load', `/${model}.gguf`);
    const uniform = random(1);
    const samples = [];
    while (samples.length < (quick ? A_BATCH : CANCELS)) {
      const moments = Array.from({ length: A_BATCH }, (_, i) => ({ phase: i % 2 ? 'decode' : 'prefill', share: uniform() }));
      samples.push(...(await page.call('cancel', 'cancelAt', moments)));
      log(`cancel: ${model}: ${samples.length} of ${CANCELS}`);
    }
    await page.close();
    const of = (phase) => latencies(samples.filter((sample) => sample.phase === phase).map((sample) => sample.freeMs));
    result.rows.push({
      name: info.name,
      prefill: of('prefill'),
      decode: of('decode'),
      over: samples.filter((sample) => sample.phase === 'over').length,
      all: latencies(samples.filter((sample) => sample.phase !== 'over').map((sample) => sample.freeMs)),
    });
  }
  return result;
}

export function render({ rows, targetP99Ms }) {
  const cells = (s) => (s ? [s.n, s.p50, s.p99, s.max] : ['0', '', '', '']);
  const body = rows.flatMap((row) =>
    ['prefill', 'decode', 'all'].map((phase) => [row.name, phase, ...cells(row[phase])]),
  );
  const late = rows.map((row) => `${row.over} (${row.name})`).join(', ');
  return (
    `${table(['model', 'cancelled in', 'cancels', 'p50 ms', 'p99 ms', 'max ms'], body)}\n\n` +
    `Target: p99 at most ${targetP99Ms} ms. Came after the answer and do not count: ${late}.`
  );
}
