/** The engine's builds in the package. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Their names, the plain build first and the fastest last. */
export function variants(dist) {
  const order = ['simd128', 'relaxed'];
  const names = readdirSync(join(dist, 'wasm')).filter((name) => name !== 'conformance');
  return names.sort((a, b) => order.indexOf(a) - order.indexOf(b));
}

export const fastestVariant = (dist) => variants(dist).findLast((name) => name === 'relaxed') ?? variants(dist).at(-1);
