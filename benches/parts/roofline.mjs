/**
 * What the kernels reach of what the same tab gives at most: the integer product out of registers, and a stream out of memory.
 * Needs the builds with the test runner (`.ci/build-wasm --conformance`).
 */
import { table } from '../lib/report.mjs';
import { round, spread } from '../lib/stats.mjs';
import { variants } from '../lib/variants.mjs';

const SAMPLES = 15;
const SAMPLE_MS = 12;
const TARGETS = { matrix: 70, vector: 60 };
/** 64 MB: more than any second-level cache. SmolLM2's matrices; the copies are as many as fill as much. */
const STREAM = ['stream', 16_384, 4096, 1];
const CACHED = [1536, 576];
const FROM_MEMORY = [98_304, 576];
const FORMATS = ['Q4_0', 'Q4_1', 'Q8_0'];

const WORKS = [
  ...FORMATS.flatMap((format) => [
    { kind: 'matrix', name: `${format}, 4 tokens`, work: [format, ...CACHED, 4] },
    { kind: 'matrix', name: `${format}, 64 tokens`, work: [format, ...CACHED, 64] },
    { kind: 'vector', name: `${format}, 1 token, from the cache`, work: [format, ...CACHED, 1] },
    { kind: 'vector', name: `${format}, 1 token, from memory`, work: [format, ...FROM_MEMORY, 1] },
  ]),
  { kind: 'vector', name: 'attention, 1 token of 1,024', work: ['attention', 1024, 64, 1] },
];

export async function run({ DIST, browser, contenders, log }) {
  const result = { targets: TARGETS, variants: [] };
  const wanted = (variant) => !contenders || contenders.includes(variant);
  for (const variant of variants(DIST).filter(wanted)) {
    const page = await browser.open();
    await page.call('roofline', 'load', variant);
    const works = [['dots', 1, 1, 1], STREAM, ...WORKS.map(({ work }) => work)];
    const [dots, stream, ...measured] = await page.call('roofline', 'time', variant, works, SAMPLES, SAMPLE_MS);
    await page.close();
    const best = ({ ms }) => Math.min(...ms);
    const peak = dots.operations / best(dots); // a millisecond
    const bandwidth = stream.bytes / best(stream);
    result.variants.push({
      variant,
      peakGigaoperationsPerS: round(peak / 1e6),
      streamGigabytesPerS: round(bandwidth / 1e6),
      rows: WORKS.map(({ kind, name }, i) => {
        const { operations, bytes, ms } = measured[i];
        const isStreamed = name.includes('memory') || name.includes('attention');
        const [compute, memory] = [operations / peak, isStreamed ? bytes / bandwidth : 0];
        return {
          kind,
          name,
          ms: spread(ms),
          gigaoperationsPerS: round(operations / best({ ms }) / 1e6),
          gigabytesPerS: round(bytes / best({ ms }) / 1e6),
          bound: compute > memory ? 'products' : 'memory',
          sharePercent: round((100 * Math.max(compute, memory)) / best({ ms })),
        };
      }),
    });
    log(`roofline: ${variant}`);
  }
  return result;
}

export function render({ variants, targets }) {
  const parts = variants.map(({ variant, peakGigaoperationsPerS, streamGigabytesPerS, rows }) => {
    const head = [variant, 'thousand million operations/s', 'GB/s', 'lower bound', 'share of it'];
    const body = rows.map((r) => [r.name, r.gigaoperationsPerS, r.gigabytesPerS, r.bound, `${r.sharePercent} %`]);
    const peaks = `${variant}: ${peakGigaoperationsPerS} thousand million operations a second out of registers, ${streamGigabytesPerS} GB/s out of memory.`;
    return `${peaks}\n\n${table(head, body)}`;
  });
  return `${parts.join('\n\n')}\n\nTargets: matrices ${targets.matrix} %, one token ${targets.vector} % of the bound. Fastest of ${SAMPLES} interleaved samples.`;
}
