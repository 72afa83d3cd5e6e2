/** Checks what callers give. Everything that is wrong is a `request-invalid` that says what would be right. */
import { MidlineError } from '../client/errors.js';
import type { Wanted } from './obtain.js';
import { STORAGE_KINDS } from './storage.js';
import type { GetOptions, ModelEntry, ModelStoreOptions } from './types.js';

const RETRIES = 3;
const STALL_MS = 30_000;
const NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$/;

function check(ok: boolean, field: string, expected: string, found: unknown): void {
  if (ok) return;
  throw new MidlineError({
    code: 'request-invalid',
    message: `${field} must be ${expected}`,
    expected,
    found: typeof found === 'string' ? `"${found.slice(0, 40)}"` : String(found).slice(0, 40),
  });
}

const isName = (value: unknown): boolean => typeof value === 'string' && NAME.test(value);
const isWhole = (value: unknown, least: number): boolean =>
  value === undefined || (Number.isSafeInteger(value) && (value as number) >= least);

/** @throws MidlineError `request-invalid` */
export function checkId(id: unknown): void {
  check(isName(id), 'id', '1 to 100 of the characters A-Z a-z 0-9 . _ -, the first no dot', id);
}

/** @throws MidlineError `request-invalid` */
export function checkStoreOptions({ folder, storage }: ModelStoreOptions): void {
  check(folder === undefined || isName(folder), 'folder', 'a name as an id is', folder);
  const kinds = STORAGE_KINDS.join(', ');
  check(storage === undefined || STORAGE_KINDS.includes(storage), 'storage', `one of ${kinds}`, storage);
}

/** An entry and its options with everything that is left out. @throws MidlineError `request-invalid` */
export function wantedOf(entry: ModelEntry, options: GetOptions): Wanted {
  check(typeof entry === 'object' && entry !== null, 'entry', 'an object', entry);
  const { id, url, name = id, bytes, sha256 } = entry;
  checkId(id);
  check(typeof name === 'string', 'name', 'a string', name);
  check(isWhole(bytes, 1), 'bytes', 'a whole number of 1 or more', bytes);
  check(sha256 === undefined || /^[0-9a-f]{64}$/i.test(sha256), 'sha256', '64 hexadecimal digits', sha256);
  const { signal, retries = RETRIES, stallMs = STALL_MS, onProgress } = options;
  check(isWhole(retries, 0), 'retries', 'a whole number of 0 or more', retries);
  check(isWhole(stallMs, 1), 'stallMs', 'a whole number of 1 or more', stallMs);
  check(signal === undefined || signal instanceof AbortSignal, 'signal', 'an AbortSignal', signal);
  check(onProgress === undefined || typeof onProgress === 'function', 'onProgress', 'a function', onProgress);
  return { id, url: resolved(url), name, bytes, sha256: sha256?.toLowerCase(), retries, stallMs, signal };
}

function resolved(url: unknown): string {
  check(typeof url === 'string' || url instanceof URL, 'url', 'a URL', url);
  try {
    return new URL(url as string, globalThis.document?.baseURI ?? globalThis.location?.href).href;
  } catch {
    check(false, 'url', 'a URL', url);
    throw new Error('unreachable');
  }
}
