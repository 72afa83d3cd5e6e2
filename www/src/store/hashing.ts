/**
 * SHA-256 in two ways: the browser's own for one chunk (fast, but it takes all bytes at once), and a streaming one for
 * the whole file (170 MB/s where the browser's does 1,200), which reads every byte once as it comes by.
 */
import { sha256 } from '@noble/hashes/sha2.js';

const hex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** SHA-256 of `bytes` in hexadecimal. */
export async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const subtle = globalThis.crypto?.subtle; // pages that are not secure have none
  return hex(subtle ? new Uint8Array(await subtle.digest('SHA-256', bytes)) : sha256(bytes));
}

/** SHA-256 of `text` in hexadecimal. */
export function digestOfText(text: string): Promise<string> {
  return digestOf(new TextEncoder().encode(text));
}

/** The hash of a file whose bytes come mostly in order: what does not follow is left out until it does. */
export class FileHash {
  readonly #sha256 = sha256.create();
  #position = 0;

  /** First byte that is not in the hash yet. */
  get position(): number {
    return this.#position;
  }

  /** Takes `bytes` of the file from `offset` on, if they are the next ones. */
  feed(offset: number, bytes: Uint8Array): void {
    if (offset !== this.#position) return;
    this.#sha256.update(bytes);
    this.#position += bytes.length;
  }

  /** In hexadecimal. Nothing may follow. */
  finish(): string {
    return hex(this.#sha256.digest());
  }
}
