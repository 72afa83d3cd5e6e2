/**
 * What this browser's WebAssembly can do, found by validating the very
 * instructions the builds use: some engines have only a part of relaxed SIMD.
 */
import { MidlineError } from './errors.js';
import type { Variant } from './types.js';

/** Opcode of `i32x4.dot_i16x8_s`, which every build uses. */
const DOT_I16X8 = 0xba;
/** Opcode of `i32x4.relaxed_dot_i8x16_i7x16_add_s`, the reason for the relaxed build. */
const RELAXED_DOT_I8X16_ADD = 0x113;

/** A module of one function that pushes `operands` zero vectors and applies one SIMD instruction. */
function moduleUsing(opcode: number, operands: number): Uint8Array<ArrayBuffer> {
  const zeroVector = [0x41, 0x00, 0xfd, 0x0f]; // i32.const 0, i8x16.splat
  const instruction = [0xfd, (opcode & 0x7f) | 0x80, opcode >> 7]; // two-byte LEB128
  const body = [0x00, ...Array(operands).fill(zeroVector).flat(), ...instruction, 0x1a, 0x0b]; // no locals … drop, end
  return new Uint8Array([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00], // "\0asm", version 1
    ...[0x01, 0x04, 0x01, 0x60, 0x00, 0x00], // one type: () -> ()
    ...[0x03, 0x02, 0x01, 0x00], // one function of that type
    ...[0x0a, body.length + 2, 0x01, body.length, ...body],
  ]);
}

/** Whether `variant` runs here. */
export function supports(variant: Variant): boolean {
  if (typeof WebAssembly !== 'object') return false;
  if (!WebAssembly.validate(moduleUsing(DOT_I16X8, 2))) return false;
  return variant === 'simd128' || WebAssembly.validate(moduleUsing(RELAXED_DOT_I8X16_ADD, 3));
}

/**
 * The build to run: `forced` if given, else the fastest that works here.
 *
 * @throws MidlineError `unsupported-browser`
 */
export function chooseVariant(forced?: Variant): Variant {
  const candidates: Variant[] = forced ? [forced] : ['relaxed', 'simd128'];
  const chosen = candidates.find(supports);
  if (chosen) return chosen;
  throw new MidlineError({
    code: 'unsupported-browser',
    message: `This browser cannot run the ${forced ?? 'simd128'} build of the engine`,
    expected: forced === 'relaxed' ? 'WebAssembly with relaxed SIMD' : 'WebAssembly with SIMD',
    found: typeof WebAssembly === 'object' ? 'WebAssembly without it' : 'no WebAssembly',
  });
}
