/** What a page downloads: the engine's builds, and the JavaScript that runs on the page's own thread. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { table } from '../lib/report.mjs';
import { variants } from '../lib/variants.mjs';

const TARGETS = { wasm: 700_000, client: 15_000 };
const DOORS = { client: 'index.js', 'client and Monaco': 'monaco/index.js', 'client and CodeMirror': 'codemirror/index.js' };

const brotli = (bytes) =>
  brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 22 },
  }).length;

/** An entry and everything it imports statically; a worker's script is named by `new URL`, not imported. */
function withImports(file, seen = new Set()) {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, name] of readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*["'](\.[^"']+)["']/g)) {
    withImports(join(dirname(file), name), seen);
  }
  return seen;
}

export async function run({ DIST }) {
  const rows = variants(DIST).map((variant) => {
    const bytes = readFileSync(join(DIST, 'wasm', variant, 'midline_bg.wasm'));
    return { what: `wasm ${variant}`, bytes: bytes.length, brotli: brotli(bytes), target: TARGETS.wasm };
  });
  for (const [what, door] of Object.entries(DOORS)) {
    if (!existsSync(join(DIST, door))) continue;
    const files = new Set([...withImports(join(DIST, 'index.js')), ...withImports(join(DIST, door))]);
    const parts = [...files].map((file) => readFileSync(file));
    const target = what === 'client' ? TARGETS.client : undefined;
    // Each file is compressed by itself, as a server does it.
    const sum = (of) => parts.reduce((total, part) => total + of(part), 0);
    rows.push({ what: `JavaScript on the page: ${what}`, bytes: sum((part) => part.length), brotli: sum(brotli), target });
  }
  const worker = readFileSync(join(DIST, 'client/worker.js'));
  rows.push({ what: 'JavaScript in the worker', bytes: worker.length, brotli: brotli(worker) });
  return { rows };
}

export function render({ rows }) {
  const body = rows.map((row) => [row.what, row.bytes, row.brotli, row.target]);
  return table(['what', 'bytes', 'after brotli (quality 11)', 'target, after brotli'], body);
}
