/** What can go wrong, as errors of the package. */
import { abortError, describe, MidlineError, type ErrorFields } from '../client/errors.js';

export const aborted = (): DOMException => abortError('The model was no longer wanted');

/** Something that another attempt may mend: it carries the error for when there is none. */
export class Interrupted extends Error {
  constructor(readonly fields: ErrorFields) {
    super(fields.message);
  }
}

export function offline(url: string, found: string): ErrorFields {
  return {
    code: 'offline',
    message: `The model could not be reached: ${url}`,
    expected: 'a server that answers',
    found,
  };
}

export function wrongLength(url: string, expectedBytes: number, foundBytes: number): ErrorFields {
  return {
    code: 'length-mismatch',
    message: `The file at ${url} has another length`,
    expected: `${expectedBytes} bytes`,
    found: `${foundBytes} bytes`,
  };
}

/** @throws MidlineError `not-a-model` unless `head` is the start of a GGUF file */
export function refuseOthers(head: Uint8Array, where: string): void {
  const text = new TextDecoder('latin1').decode(head);
  if (text.startsWith('GGUF')) return;
  const found = /^(\xef\xbb\xbf)?\s*</.test(text)
    ? 'a web page'
    : text.startsWith('version https://git-lfs')
      ? 'a Git LFS pointer'
      : head.length === 0
        ? 'an empty file'
        : `the bytes ${Array.from(head.subarray(0, 4), (byte) => byte.toString(16).padStart(2, '0')).join(' ')}`;
  throw new MidlineError({
    code: 'not-a-model',
    message: `There is no model at ${where}`,
    expected: 'a GGUF file',
    found,
  });
}

/** Room that the browser leaves this origin; `undefined` where it does not say. */
export async function freeBytes(): Promise<number | undefined> {
  const { quota, usage } = (await globalThis.navigator?.storage?.estimate?.().catch(() => undefined)) ?? {};
  return quota === undefined || usage === undefined ? undefined : Math.max(0, quota - usage);
}

export function full(neededBytes: number | undefined, freeBytes: number | undefined): MidlineError {
  return new MidlineError({
    code: 'quota',
    message: 'The browser leaves too little room for the model',
    ...(neededBytes !== undefined && { expected: `${neededBytes} bytes of free room` }),
    found: freeBytes === undefined ? 'a full storage' : `${freeBytes} bytes`,
  });
}

/** An error of the storage as one of the package: a full one has a code of its own. */
export async function storageError(error: unknown, neededBytes?: number): Promise<Error> {
  if (error instanceof MidlineError || error instanceof Interrupted) return error;
  if (error instanceof DOMException && error.name === 'AbortError') return error;
  if ((error as { name?: string } | null)?.name === 'QuotaExceededError') {
    const free = await freeBytes(); // an estimate, which may claim that there was room
    return full(neededBytes, free !== undefined && free < (neededBytes ?? 0) ? free : undefined);
  }
  return new MidlineError({
    code: 'storage',
    message: 'The browser’s storage failed',
    expected: 'a storage that keeps what it is given',
    found: describe(error),
  });
}
