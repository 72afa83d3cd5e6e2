/**
 * The chunks of one generation in the storage: finding and checking them, writing bytes into them, letting go of them.
 */
import { Interrupted, storageError } from './failures.js';
import { CHUNK_BYTES, chunkName, fits, fullLength, parseChunkName, type Chunk, type Held } from './chunks.js';
import { digestOf, FileHash } from './hashing.js';
import type { Storage } from './storage.js';

/** Chunks that are read at the same time where their order does not matter. */
const READERS = 4;

export class Generation {
  readonly #held = new Map<number, Chunk>();
  /** The chunk that is being filled, and the bytes in it. */
  #open: { readonly index: number; readonly bytes: Uint8Array<ArrayBuffer>; length: number } | undefined;
  /** The hash of the whole file, as far as its bytes came by in order. */
  hash = new FileHash();
  /** Length of the file once it is known. */
  totalBytes: number | null;

  constructor(
    private readonly storage: Storage,
    private readonly folder: string,
    readonly name: string,
    totalBytes: number | null,
    /** Hashes that the chunks must have, if they are known. */
    private readonly expected?: readonly string[],
  ) {
    this.totalBytes = totalBytes;
  }

  static newName(): string {
    return Math.floor(Math.random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  }

  /** Chunks on the disk. */
  get held(): Held {
    return this.#held;
  }

  /** Hashes of the chunks of a complete file. */
  digests(): string[] {
    return [...this.#held.values()].sort((a, b) => a.index - b.index).map(({ digest }) => digest);
  }

  /** The file, by reference. */
  async blob(): Promise<Blob> {
    const parts: Blob[] = [];
    for (const [index, digest] of this.digests().entries()) {
      const part = await this.storage.read(this.folder, chunkName(this.name, index, digest));
      if (!part) throw new Error(`chunk ${index} is gone`);
      parts.push(part);
    }
    return new Blob(parts);
  }

  /** Finds the chunks that are whole, by reading all of them; what is damaged is removed. */
  async check(onRead: (bytes: number) => void, signal?: AbortSignal): Promise<void> {
    const files = await this.storage.files(this.folder);
    const found = files.flatMap(({ name, bytes }) => {
      const parsed = parseChunkName(name);
      return parsed?.generation === this.name ? [{ ...parsed, bytes }] : [];
    });
    // Of two for one place, which a crash may leave, the fuller one first.
    found.sort((a, b) => a.index - b.index || b.bytes - a.bytes);
    const inOrder = this.expected === undefined;
    const next = found.values();
    const reader = async (): Promise<void> => {
      for (const chunk of next) {
        if (signal?.aborted) return;
        await this.#checkOne(chunk);
        onRead(chunk.bytes);
      }
    };
    // The hash of the whole file needs the order, so then there is one reader only.
    await Promise.all(Array.from({ length: inOrder ? 1 : READERS }, reader));
  }

  async #checkOne(chunk: Chunk): Promise<void> {
    const name = chunkName(this.name, chunk.index, chunk.digest);
    const expected =
      chunk.bytes === fullLength(chunk.index, this.totalBytes) ? this.expected?.[chunk.index] : undefined;
    const wanted =
      !this.#held.has(chunk.index) &&
      fits(chunk, this.totalBytes) &&
      (expected === undefined || expected === chunk.digest);
    const bytes = wanted ? await this.#bytesOf(name) : undefined;
    if (!bytes || bytes.length !== chunk.bytes || (await digestOf(bytes)) !== chunk.digest) {
      await this.storage.remove(this.folder, name);
      return;
    }
    this.#held.set(chunk.index, chunk);
    this.hash.feed(chunk.index * CHUNK_BYTES, bytes);
  }

  async #bytesOf(name: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const blob = await this.storage.read(this.folder, name);
    // A file that cannot be read is a damaged one.
    return blob?.arrayBuffer().then(
      (buffer) => new Uint8Array(buffer),
      () => undefined,
    );
  }

  /** Makes ready to take bytes from `offset` on: what is held of that chunk comes first. */
  async seek(offset: number): Promise<void> {
    const index = Math.floor(offset / CHUNK_BYTES);
    const bytes = new Uint8Array(CHUNK_BYTES);
    const chunk = this.#held.get(index);
    if (chunk) bytes.set((await this.#bytesOf(chunkName(this.name, index, chunk.digest))) ?? []);
    this.#open = { index, bytes, length: offset - index * CHUNK_BYTES };
  }

  /** Takes the next bytes; full chunks go to the storage. */
  async append(bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length;) {
      const open = (this.#open ??= { index: 0, bytes: new Uint8Array(CHUNK_BYTES), length: 0 });
      const part = bytes.subarray(done, done + fullLength(open.index, this.totalBytes) - open.length);
      if (part.length === 0) throw new RangeError('bytes behind the end of the file');
      open.bytes.set(part, open.length);
      this.hash.feed(open.index * CHUNK_BYTES + open.length, part);
      open.length += part.length;
      done += part.length;
      if (open.length < fullLength(open.index, this.totalBytes)) continue;
      await this.flush();
      this.#open = { index: open.index + 1, bytes: open.bytes, length: 0 };
    }
  }

  /** Writes the chunk that is being filled as far as it is. */
  async flush(): Promise<void> {
    const open = this.#open;
    const before = open && this.#held.get(open.index);
    if (!open || open.length <= (before?.bytes ?? 0)) return;
    const bytes = open.bytes.subarray(0, open.length);
    const digest = await digestOf(bytes);
    const expected = this.expected?.[open.index];
    if (
      expected !== undefined &&
      expected !== digest &&
      open.length === fullLength(open.index, this.totalBytes)
    )
      throw new Changed();
    try {
      await this.storage.write(this.folder, chunkName(this.name, open.index, digest), bytes);
    } catch (error) {
      const free = this.totalBytes === null ? undefined : this.totalBytes - open.index * CHUNK_BYTES;
      throw await storageError(error, free);
    }
    this.#held.set(open.index, { index: open.index, digest, bytes: open.length });
    if (before) await this.storage.remove(this.folder, chunkName(this.name, open.index, before.digest));
  }

  /** SHA-256 of the complete file: reads what has not come by in order. */
  async sha256(): Promise<string> {
    for (const [index, digest] of this.digests().entries()) {
      if (index * CHUNK_BYTES < this.hash.position) continue;
      const bytes = await this.#bytesOf(chunkName(this.name, index, digest));
      if (bytes) this.hash.feed(index * CHUNK_BYTES, bytes);
    }
    return this.hash.finish();
  }
}

/** The bytes that the server gives for a damaged chunk are not those that were there. */
export class Changed extends Interrupted {
  constructor() {
    super({ code: 'hash-mismatch', message: 'The server has another file' });
  }
}

/** Removes all chunks but those of the generations to keep. */
export async function sweep(storage: Storage, folder: string, keep: readonly string[]): Promise<void> {
  for (const { name } of await storage.files(folder)) {
    const generation = parseChunkName(name)?.generation;
    if (generation !== undefined && !keep.includes(generation)) await storage.remove(folder, name);
  }
}

/** The generation of which most is there, for a folder whose records are gone. */
export async function fullest(storage: Storage, folder: string): Promise<string | undefined> {
  const sums = new Map<string, number>();
  for (const { name, bytes } of await storage.files(folder)) {
    const generation = parseChunkName(name)?.generation;
    if (generation) sums.set(generation, (sums.get(generation) ?? 0) + bytes);
  }
  return [...sums].sort((a, b) => b[1] - a[1])[0]?.[0];
}
