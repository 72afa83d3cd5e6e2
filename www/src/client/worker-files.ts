/**
 * Where the worker's script and the engine's modules lie. All addresses of the package are in this file, and each is
 * the expression that bundlers look for; the worker itself refers to nothing, so that it may be served from anywhere.
 */
import { describe, MidlineError } from './errors.js';
import type { WasmUrls } from './protocol.js';
import type { CompleterOptions, Variant } from './types.js';
import type { WorkerLike } from './worker-link.js';

const MODULES: Record<Variant, () => URL> = {
  simd128: () => new URL('../wasm/simd128/midline_bg.wasm', import.meta.url),
  relaxed: () => new URL('../wasm/relaxed/midline_bg.wasm', import.meta.url),
};

/** Every build of the engine. */
export const VARIANTS = Object.keys(MODULES) as Variant[];

/** Starts a worker with the package's script. */
export function packagedWorker(): WorkerLike {
  return new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
}

/**
 * The address of every build: the caller's where it gave one, else the package's.
 *
 * @throws MidlineError `request-invalid` for an address that cannot be resolved
 */
export function wasmUrls(given: CompleterOptions['wasmUrls'] = {}): WasmUrls {
  const base = globalThis.document?.baseURI ?? globalThis.location?.href;
  const resolve = (variant: Variant): string => {
    const url = given[variant];
    try {
      return (url === undefined ? MODULES[variant]() : new URL(url, base)).href;
    } catch (error) {
      // Without `import.meta.url`, in a bundle that is no ES module, only the caller can know the address.
      throw new MidlineError({
        code: 'request-invalid',
        message: `wasmUrls.${variant} must be the address of that build`,
        expected: 'a URL, or a page whose scripts are ES modules',
        found: url === undefined ? describe(error) : `"${String(url).slice(0, 40)}"`,
      });
    }
  };
  return Object.fromEntries(VARIANTS.map((variant) => [variant, resolve(variant)])) as WasmUrls;
}
