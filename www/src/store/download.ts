/**
 * Fetches what a generation lacks, range by range, and goes on after every interruption. Where what is held turns out to be
 * of no use, the caller's `restart` gives a new generation, and it begins at byte 0.
 */
import { MidlineError, type ErrorFields } from '../client/errors.js';
import { MAX_BYTES, heldBytes, missingRanges, type Range } from './chunks.js';
import { aborted, freeBytes, full, Interrupted, refuseOthers, wrongLength } from './failures.js';
import { Changed, type Generation } from './generation.js';
import type { Validators } from './records.js';
import { open, type Opened } from './request.js';
import type { Restart } from './types.js';

/** Enough of the start of a body to tell a model from other things. */
const SNIFF_BYTES = 64;
/** Restarts of one download: a server without ranges that breaks off every time must come to an end. */
const MAX_RESTARTS = 3;
const FIRST_PAUSE_MS = 250;

/** A download as its owner sees it. */
export interface Download {
  readonly url: string;
  /** What the file must have, where it is known beforehand. */
  readonly bytes: number | undefined;
  readonly retries: number;
  readonly stallMs: number;
  readonly signal: AbortSignal | undefined;
  generation: Generation;
  validators: Validators;
  fetchedBytes: number;
  restarts: number;
  /** What ended the last attempt. */
  failed?: ErrorFields;
  /** Bytes have arrived. */
  report(): void;
  /** The length or the version of the file became known. */
  learned(): Promise<void>;
  /** Begins anew: sets `generation`. */
  restart(reason: Restart): Promise<void>;
}

/** Fetches until nothing is missing. @throws MidlineError, AbortError */
export async function fetchMissing(download: Download): Promise<void> {
  for (let vain = 0; ;) {
    const { held, totalBytes } = download.generation;
    const [range] = missingRanges(held, totalBytes);
    if (!range) return;
    const before = download.fetchedBytes;
    try {
      await fetchRange(download, range);
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      download.failed = error.fields;
      if (error instanceof Changed) {
        await restarted(download, 'changed', error);
        continue;
      }
      if (download.fetchedBytes > before) vain = 0;
      else if (vain++ >= download.retries) throw new MidlineError(error.fields);
      await pause(vain === 0 ? 0 : FIRST_PAUSE_MS * 2 ** (vain - 1), download.signal);
    }
  }
}

async function restarted(download: Download, reason: Restart, last: Interrupted): Promise<void> {
  if (download.restarts++ >= MAX_RESTARTS) throw new MidlineError(download.failed ?? last.fields);
  await download.restart(reason);
}

async function fetchRange(download: Download, range: Range): Promise<void> {
  const { totalBytes } = download.generation;
  const whole = range.start === 0 && (range.end === null || range.end === totalBytes);
  const { url, validators } = download;
  const question = { url, range: whole ? undefined : range, totalBytes, validators };
  const body = await open(question, download.stallMs, download.signal);
  const { verdict } = body;
  const noUse = new Interrupted({
    code: 'offline',
    message: `The server breaks off and does not go on where it did: ${url}`,
    expected: `bytes from ${range.start} on`,
    found: verdict.restart === 'changed' ? 'another version of the file' : 'other bytes',
  });
  try {
    if (verdict.kind === 'restart') return await restarted(download, verdict.restart, noUse);
    let first: Uint8Array | undefined;
    if (verdict.start === 0) {
      // Before anything else: what is held must not go because of a login page.
      first = await head(body);
      refuseOthers(first.subarray(0, SNIFF_BYTES), url);
    }
    if (verdict.restart) await restarted(download, verdict.restart, noUse);
    await learn(download, verdict);
    await pour(download, body, verdict.start, verdict.end, first);
  } finally {
    body.close();
  }
}

/** The first bytes of a body: so many that they can be judged, or all. */
async function head(body: Opened): Promise<Uint8Array> {
  let bytes = new Uint8Array();
  while (bytes.length < SNIFF_BYTES) {
    const more = await body.read();
    if (!more) break;
    const joined = new Uint8Array(bytes.length + more.length);
    joined.set(bytes);
    joined.set(more, bytes.length);
    bytes = joined;
  }
  return bytes;
}

/** Takes over what the answer says of the file, if that agrees with what is known. */
async function learn(
  download: Download,
  { totalBytes, validators }: { totalBytes: number | null; validators: Validators },
): Promise<void> {
  const { generation, url } = download;
  const known = download.bytes ?? generation.totalBytes;
  if (totalBytes !== null && known !== null && totalBytes !== known)
    throw new MidlineError(wrongLength(url, known, totalBytes));
  const total = known ?? totalBytes;
  if (total !== null && total > MAX_BYTES) throw new MidlineError(wrongLength(url, MAX_BYTES, total));
  const missing = total === null ? undefined : total - heldBytes(generation.held);
  const free = missing === undefined ? undefined : await freeBytes();
  if (missing !== undefined && free !== undefined && free < missing) throw full(missing, free);
  generation.totalBytes = total;
  download.validators = validators.etag || validators.lastModified ? validators : download.validators;
  await download.learned();
}

/** Writes the body into the generation. Whatever ends it, what has arrived is kept. */
async function pour(
  download: Download,
  body: Opened,
  start: number,
  end: number | null,
  first: Uint8Array | undefined,
): Promise<void> {
  const { generation, url } = download;
  const limit = end ?? generation.totalBytes ?? MAX_BYTES;
  let position = start;
  await generation.seek(start);
  try {
    for (let bytes = first; ; bytes = undefined) {
      bytes ??= await body.read();
      if (!bytes || bytes.length === 0) {
        if (!bytes) break;
        continue;
      }
      if (position + bytes.length > limit)
        throw new MidlineError(wrongLength(url, limit, position + bytes.length));
      position += bytes.length;
      await generation.append(bytes);
      download.fetchedBytes += bytes.length;
      download.report();
    }
  } finally {
    await generation.flush();
  }
  if (end === null && generation.totalBytes === null) generation.totalBytes = position;
  else if (position < limit) throw new Interrupted(wrongLength(url, limit, position));
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(aborted());
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    if (signal?.aborted) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  });
}
