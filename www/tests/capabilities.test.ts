/** The probes are valid wasm, and a browser without the instructions is told so. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { chooseVariant, supports } from '../src/client/capabilities.js';

afterEach(() => vi.unstubAllGlobals());

/** A `WebAssembly` that accepts modules whose SIMD opcode passes `known`. */
function engineKnowing(known: (relaxed: boolean) => boolean): void {
  const validate = (bytes: Uint8Array): boolean => {
    const at = bytes.lastIndexOf(0xfd);
    return known((((bytes[at + 1] as number) & 0x7f) | ((bytes[at + 2] as number) << 7)) >= 0x100);
  };
  vi.stubGlobal('WebAssembly', { validate });
}

describe('the probes', () => {
  it('are accepted by this engine, which has SIMD', () => {
    expect(supports('simd128')).toBe(true);
  });

  it('of the relaxed build need more than the plain one', () => {
    engineKnowing((relaxed) => !relaxed);
    expect([supports('simd128'), supports('relaxed')]).toEqual([true, false]);
  });
});

describe('the choice', () => {
  it('is the fastest that works', () => {
    engineKnowing(() => true);
    expect(chooseVariant()).toBe('relaxed');
    expect(chooseVariant('simd128')).toBe('simd128');
    engineKnowing((relaxed) => !relaxed);
    expect(chooseVariant()).toBe('simd128');
  });

  const unsupported = expect.objectContaining({ code: 'unsupported-browser' });
  it('fails with a typed error where nothing works', () => {
    engineKnowing(() => false);
    expect(() => chooseVariant()).toThrow(unsupported);
    engineKnowing((relaxed) => !relaxed);
    expect(() => chooseVariant('relaxed')).toThrow(unsupported);
    vi.stubGlobal('WebAssembly', undefined);
    expect(() => chooseVariant()).toThrow(unsupported);
  });
});
