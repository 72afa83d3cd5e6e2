/** Addresses of the engine's builds: the package's own, a caller's, and what cannot be one. */
import { expect, it } from 'vitest';
import { VARIANTS, wasmUrls } from '../src/client/worker-files.js';

it('knows every build by an absolute address', () => {
  const urls = wasmUrls();
  expect(Object.keys(urls)).toEqual(VARIANTS);
  for (const variant of VARIANTS) {
    expect(urls[variant]).toMatch(new RegExp(`^\\w+://.*/wasm/${variant}/midline_bg\\.wasm$`));
  }
});

it('takes the caller’s addresses and keeps its own for the others', () => {
  const urls = wasmUrls({ relaxed: 'https://files.test/r.wasm', simd128: new URL('https://files.test/s') });
  expect(urls).toMatchObject({ relaxed: 'https://files.test/r.wasm', simd128: 'https://files.test/s' });
  expect(wasmUrls({ relaxed: 'https://files.test/r.wasm' }).simd128).toBe(wasmUrls().simd128);
});

it('names an address that is none', () => {
  const error = { name: 'MidlineError', code: 'request-invalid' };
  expect(() => wasmUrls({ relaxed: 'http://[' })).toThrow(
    expect.objectContaining({ ...error, found: '"http://["' }),
  );
  // What esbuild leaves of `import.meta.url` in a bundle that is no module.
  expect(() => wasmUrls({ relaxed: 'relative.wasm' })).toThrow(expect.objectContaining(error));
});
