/**
 * Time to a model that is ready, and the memory of the engine beside what the parts add up to on paper. A wasm memory
 * never shrinks: its size at the end is its peak.
 */
import { table } from '../lib/report.mjs';
import { round, spread } from '../lib/stats.mjs';
import { fastestVariant } from '../lib/variants.mjs';

const TARGETS = { readyMs: 1500, memoryRatio: 1.3 };
/** The widest beam, whose logits are the largest scratch by far. */
const BEAMS = 8;

export async function run({ DIST, browser, model, small, sizes, reps, log }) {
  const result = { targets: TARGETS, rows: [] };
  for (const name of sizes) {
    const file = { small, model }[name];
    const runs = { file: [], server: [] };
    for (let rep = 0; rep < reps; rep++) {
      for (const source of ['file', 'server']) {
        const page = await browser.open();
        await page.page.setInputFiles('input', file);
        runs[source].push(await page.call('load', 'ready', source === 'file' ? 'file' : `/${name}.gguf`));
        await page.close();
      }
    }
    const memory = await peakMemory(browser, fastestVariant(DIST), file);
    for (const [source, all] of Object.entries(runs)) {
      result.rows.push({
        name: memory.name,
        source,
        readyMs: spread(all.map((run) => run.readyMs)),
        firstAnswerMs: spread(all.map((run) => run.firstAnswerMs)),
      });
    }
    result.rows.at(-2).memory = memory;
    log(`load: ${memory.name}`);
  }
  return result;
}

async function peakMemory(browser, variant, file) {
  const page = await browser.open();
  await page.page.setInputFiles('input', file);
  const loaded = await page.call('engine', 'load', { variant, model: 'file' });
  const prefix = 'def add(first, second):\n    return first + second\n\n'.repeat(100);
  const { memoryBytes } = await page.call('engine', 'steps', { prefix, suffix: '', format: 'prefix', beamWidth: BEAMS });
  await page.close();
  const { name, weightsBytes, kvBytes, vocabSize, contextTokens } = loaded.info;
  const scratchBytes = 4 * BEAMS * vocabSize;
  const paperBytes = weightsBytes + kvBytes + scratchBytes;
  return {
    name, variant, contextTokens, weightsBytes, kvBytes, scratchBytes, paperBytes,
    afterLoadBytes: loaded.memoryBytes,
    peakBytes: memoryBytes,
    ratio: round(memoryBytes / paperBytes),
  };
}

const megabytes = (bytes) => (bytes / 1e6).toFixed(1);
const cell = (s) => `${s.median} (${s.min}-${s.max})`;

export function render({ rows, targets }) {
  const times = table(
    ['model', 'from', 'ready ms', 'first answer ms'],
    rows.map((row) => [row.name, row.source, cell(row.readyMs), cell(row.firstAnswerMs)]),
  );
  const memory = rows.filter((row) => row.memory).map(({ memory: m }) => [
    m.name, megabytes(m.weightsBytes), megabytes(m.kvBytes), megabytes(m.scratchBytes), megabytes(m.paperBytes),
    megabytes(m.afterLoadBytes), megabytes(m.peakBytes), m.ratio,
  ]);
  const head = ['model', 'weights MB', 'keys and values MB', 'logits MB', 'on paper MB', 'wasm after load MB', 'wasm peak MB', 'peak / paper'];
  const text = `Targets: the larger model ready from a file in ${targets.readyMs} ms, peak at most ${targets.memoryRatio} times the paper.`;
  return `${times}\n\n${table(head, memory)}\n\n${text}`;
}
