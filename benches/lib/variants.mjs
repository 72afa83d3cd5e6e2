/** The engine's builds in the package. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Their names, the plain build first and the fastest last. */
export function variants(dist) {
  const order = ['simd128', 'relaxed'];
  const folders = readdirSync(join(dist, 'wasm'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const names = folders.map(({ name }) => name).filter((name) => name !== 'conformance');
  return names.sort((a, b) => order.indexOf(a) - order.indexOf(b));
}

export const fastestVariant = (dist) => variants(dist).findLast((name) => name === 'relaxed') ?? variants(dist).at(-1);
