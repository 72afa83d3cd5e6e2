/**
 * Which bytes of a model are stored: pure logic. A model lies in chunks, each a file of its own whose name holds its
 * place and the SHA-256 of its content:
 *
 *     <generation>-<index>-<sha256>
 *
 * so that the listing is the journal: a chunk that was written is known without a second write, and one that was
 * damaged does not match its name. A generation is one download from byte 0; a new one never mixes with the old.
 * A chunk may be shorter than its place while it is being filled.
 */

/** Length of every chunk but the last: what is lost at most when the power goes. */
export const CHUNK_BYTES = 1024 * 1024;

/** A stored chunk. */
export interface Chunk {
  readonly index: number;
  readonly digest: string;
  readonly bytes: number;
}

/** The stored chunks of one generation, by index. */
export type Held = ReadonlyMap<number, Chunk>;

/** Bytes `start` to `end`, the latter excluded; `null`: to the end of the file, wherever that is. */
export interface Range {
  readonly start: number;
  readonly end: number | null;
}

const NAME = /^([0-9a-f]{8})-(\d{6})-([0-9a-f]{64})$/;
/** No engine of 32 bits has room for more; so a body that never ends comes to an end. */
export const MAX_BYTES = 2 ** 32;

export function chunkName(generation: string, index: number, digest: string): string {
  return `${generation}-${String(index).padStart(6, '0')}-${digest}`;
}

/** The parts of a chunk's name; `undefined` for any other file. */
export function parseChunkName(
  name: string,
): { generation: string; index: number; digest: string } | undefined {
  const match = NAME.exec(name);
  if (!match) return undefined;
  const [, generation, index, digest] = match as unknown as [string, string, string, string];
  return { generation, index: Number(index), digest };
}

/** Length of the chunk at `index` when it is full. */
export function fullLength(index: number, totalBytes: number | null): number {
  if (totalBytes === null) return CHUNK_BYTES;
  return Math.max(0, Math.min(CHUNK_BYTES, totalBytes - index * CHUNK_BYTES));
}

export function chunkCount(totalBytes: number): number {
  return Math.ceil(totalBytes / CHUNK_BYTES);
}

export function heldBytes(held: Held): number {
  let sum = 0;
  for (const { bytes } of held.values()) sum += bytes;
  return sum;
}

/** What is not held, in order, neighbours joined. Empty when the file is complete. */
export function missingRanges(held: Held, totalBytes: number | null): Range[] {
  const ranges: { start: number; end: number | null }[] = [];
  // Without a known end there is always more behind the last chunk.
  const count = totalBytes === null ? Math.max(-1, ...held.keys()) + 2 : chunkCount(totalBytes);
  for (let index = 0; index < count; index++) {
    const first = index * CHUNK_BYTES;
    const end = totalBytes === null && index === count - 1 ? null : first + fullLength(index, totalBytes);
    const start = first + (held.get(index)?.bytes ?? 0);
    if (end !== null && start >= end) continue;
    const last = ranges.at(-1);
    if (last && last.end === start) last.end = end;
    else ranges.push({ start, end });
  }
  return ranges;
}

/** Whether a chunk fits into its place. */
export function fits({ index, bytes }: Chunk, totalBytes: number | null): boolean {
  return bytes > 0 && bytes <= fullLength(index, totalBytes);
}
