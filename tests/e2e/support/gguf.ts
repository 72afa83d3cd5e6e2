/**
 * Where things stand in a GGUF file, so that a test can spoil one of them. Written from the format's description
 * (github.com/ggml-org/ggml, docs/gguf.md) and for good files only.
 */

/** Bytes of the scalar value types, by their number; strings (8) and arrays (9) have a length of their own. */
const SCALAR_BYTES: Record<number, number> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};

/** A row of the tensor table, by the positions of its fields. */
export interface TensorRow {
  readonly name: string;
  readonly dims: number[];
  readonly dimsAt: number;
  readonly typeAt: number;
  readonly offsetAt: number;
}

export interface Layout {
  /** Position of the key's text, the type number and the value of each metadata entry. */
  readonly keys: ReadonlyMap<
    string,
    { readonly keyAt: number; readonly typeAt: number; readonly valueAt: number }
  >;
  /** First byte of the tensor table. */
  readonly tableAt: number;
  readonly tensors: readonly TensorRow[];
  /** First byte of the tensor data. */
  readonly dataAt: number;
  /** The start of every structure and of each of its fields, in order. Of long arrays the first elements only. */
  readonly boundaries: readonly number[];
}

export function layoutOf(file: Buffer): Layout {
  const boundaries: number[] = [];
  let at = 0;
  const skip = (bytes: number): number => {
    boundaries.push(at);
    at += bytes;
    return at - bytes;
  };
  const u32 = (): number => file.readUInt32LE(skip(4));
  const u64 = (): number => Number(file.readBigUInt64LE(skip(8)));
  const text = (): string => {
    const length = u64();
    const start = skip(length);
    return file.toString('utf8', start, start + length);
  };
  const value = (type: number): void => {
    if (type === 8) return void text();
    if (type !== 9) return void skip(SCALAR_BYTES[type] as number);
    const element = u32();
    const count = u64();
    const before = boundaries.length;
    for (let i = 0; i < count; i++) {
      value(element);
      if (i >= 3) boundaries.length = Math.min(boundaries.length, before + 6);
    }
  };

  skip(4); // magic
  skip(4); // version
  const tensorCount = u64();
  const keyCount = u64();
  const keys = new Map<string, { keyAt: number; typeAt: number; valueAt: number }>();
  for (let i = 0; i < keyCount; i++) {
    const keyAt = at + 8;
    const key = text();
    const typeAt = at;
    const type = u32();
    keys.set(key, { keyAt, typeAt, valueAt: at });
    value(type);
  }
  const tableAt = at;
  const tensors: TensorRow[] = [];
  for (let i = 0; i < tensorCount; i++) {
    const name = text();
    const dimensions = u32();
    const dimsAt = at;
    const dims = Array.from({ length: dimensions }, u64);
    const typeAt = skip(4);
    const offsetAt = skip(8);
    tensors.push({ name, dims, dimsAt, typeAt, offsetAt });
  }
  boundaries.push(at);
  return { keys, tableAt, tensors, dataAt: Math.ceil(at / 32) * 32, boundaries };
}

/** A copy of `file` with bytes replaced at some places; the length stays. */
export function spoiled(file: Buffer, ...changes: readonly (readonly [at: number, bytes: Buffer])[]): Buffer {
  const copy = Buffer.from(file);
  for (const [at, bytes] of changes) bytes.copy(copy, at);
  return copy;
}

export const u32Bytes = (value: number): Buffer => {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
};

export const u64Bytes = (value: bigint): Buffer => {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(value);
  return buffer;
};

const sized = (text: string): Buffer => Buffer.concat([u64Bytes(BigInt(text.length)), Buffer.from(text)]);

/** The metadata of `file` with whole numbers added, and F32 tensors of zeros in place of its own. */
export function withZeroTensors(
  file: Buffer,
  added: Readonly<Record<string, number>>,
  tensors: Readonly<Record<string, readonly number[]>>,
): Buffer {
  const { keys, tableAt } = layoutOf(file);
  const entries = Object.entries(added).map(([key, value]) =>
    Buffer.concat([sized(key), u32Bytes(4), u32Bytes(value)]),
  );
  let dataBytes = 0;
  const rows = Object.entries(tensors).map(([name, dims]) => {
    const offset = dataBytes;
    dataBytes += Math.ceil((4 * dims.reduce((a, b) => a * b)) / 32) * 32;
    const sizes = dims.map((dim) => u64Bytes(BigInt(dim)));
    return Buffer.concat([
      sized(name),
      u32Bytes(dims.length),
      ...sizes,
      u32Bytes(0),
      u64Bytes(BigInt(offset)),
    ]);
  });
  const head = Buffer.concat([
    file.subarray(0, 8),
    u64Bytes(BigInt(rows.length)),
    u64Bytes(BigInt(keys.size + entries.length)),
    file.subarray(24, tableAt),
    ...entries,
    ...rows,
  ]);
  return Buffer.concat([head, Buffer.alloc((32 - (head.length % 32)) % 32), Buffer.alloc(dataBytes)]);
}
