/** How a model comes to be complete in its folder: checked if it is there, fetched where it is not, published at the end. */
import { MidlineError } from '../client/errors.js';
import { heldBytes, missingRanges } from './chunks.js';
import { fetchMissing, type Download } from './download.js';
import { aborted, storageError } from './failures.js';
import { fullest, Generation, sweep } from './generation.js';
import * as records from './records.js';
import type { ModelRecord, PartialRecord } from './records.js';
import type { Storage } from './storage.js';
import type { Restart, StoredModel, StoreProgress } from './types.js';

/** What is wanted, checked. */
export interface Wanted {
  readonly id: string;
  readonly url: string;
  readonly name: string;
  readonly bytes: number | undefined;
  readonly sha256: string | undefined;
  readonly retries: number;
  readonly stallMs: number;
  readonly signal: AbortSignal | undefined;
}

export type Report = (progress: Omit<StoreProgress, 'following'>) => void;

/** A stored model as it is given out. */
export async function stored(id: string, record: ModelRecord, generation: Generation): Promise<StoredModel> {
  const { name, totalBytes: bytes, sha256 } = record;
  return { id, name, bytes, sha256, blob: await generation.blob() };
}

/** The chunks of a published model, checked. */
export async function checked(
  storage: Storage,
  id: string,
  record: ModelRecord,
  report: Report,
  signal: AbortSignal | undefined,
): Promise<Generation> {
  const { totalBytes, chunks } = record;
  const generation = new Generation(storage, id, record.generation, totalBytes, chunks);
  await check(generation, report, signal);
  return generation;
}

async function check(generation: Generation, report: Report, signal: AbortSignal | undefined): Promise<void> {
  let loadedBytes = 0;
  await generation.check((bytes) => {
    loadedBytes += bytes;
    report({ phase: 'check', loadedBytes, totalBytes: generation.totalBytes, fetchedBytes: 0 });
  }, signal);
  if (signal?.aborted) throw aborted();
}

/** Gives the model, after fetching what is missing. @throws MidlineError, AbortError */
export async function obtain(storage: Storage, wanted: Wanted, report: Report): Promise<StoredModel> {
  const { id, signal } = wanted;
  const record = await records.readModel(storage, id);
  if (record && satisfies(record, wanted)) {
    const generation = await checked(storage, id, record, report, signal);
    const download = downloadOf(storage, wanted, report, generation, record);
    if (missingRanges(generation.held, record.totalBytes).length === 0) return stored(id, record, generation);
    await fetchMissing(download);
    if (download.generation === generation) return stored(id, record, generation);
    return publish(storage, wanted, download);
  }
  const { generation, validators } = await begun(storage, wanted, report, record);
  const download = downloadOf(storage, wanted, report, generation, validators);
  await fetchMissing(download);
  return publish(storage, wanted, download);
}

/** The download that was begun before, or a new one. */
async function begun(
  storage: Storage,
  wanted: Wanted,
  report: Report,
  published: ModelRecord | undefined,
): Promise<{ generation: Generation; validators: records.Validators }> {
  const { id, url, bytes, sha256, signal } = wanted;
  const partial = await records.readPartial(storage, id);
  if (partial && partial.url === url && partial.sha256 === sha256 && partial.bytes === bytes) {
    const generation = new Generation(storage, id, partial.generation, partial.totalBytes);
    await check(generation, report, signal);
    return { generation, validators: partial };
  }
  // Chunks whose record was lost are used only if the hash will tell whether they were the right ones.
  const orphan = sha256 !== undefined && !published && !partial ? await fullest(storage, id) : undefined;
  const generation = new Generation(storage, id, orphan ?? Generation.newName(), bytes ?? null);
  if (orphan) await check(generation, report, signal);
  return { generation, validators: {} };
}

function satisfies(record: ModelRecord, { bytes, sha256 }: Wanted): boolean {
  return (bytes ?? record.totalBytes) === record.totalBytes && (sha256 ?? record.sha256) === record.sha256;
}

function downloadOf(
  storage: Storage,
  wanted: Wanted,
  report: Report,
  generation: Generation,
  { etag, lastModified }: records.Validators,
): Download {
  const { id, url, name, bytes, sha256, retries, stallMs, signal } = wanted;
  let arrived = heldBytes(generation.held);
  let restart: Restart | undefined;
  let published: string | undefined;
  const download: Download = {
    ...{ url, bytes, retries, stallMs, signal, generation, fetchedBytes: 0, restarts: 0 },
    validators: { ...(etag && { etag }), ...(lastModified && { lastModified }) },
    report() {
      report({
        phase: 'download',
        loadedBytes: arrived + download.fetchedBytes,
        totalBytes: download.generation.totalBytes,
        fetchedBytes: download.fetchedBytes,
        ...(restart && { restarted: restart }),
      });
    },
    async learned() {
      published ??= (await records.readModel(storage, id))?.generation ?? '';
      if (published === download.generation.name) return; // damaged, not new
      const record: PartialRecord = {
        ...{ name, url, generation: download.generation.name, totalBytes: download.generation.totalBytes },
        ...download.validators,
        ...(bytes !== undefined && { bytes }),
        ...(sha256 && { sha256 }),
      };
      await records.writePartial(storage, id, record).catch(fail);
      download.report();
    },
    async restart(reason) {
      const keep = (await records.readModel(storage, id))?.generation;
      await sweep(storage, id, keep ? [keep] : []);
      restart = reason;
      arrived = -download.fetchedBytes;
      download.validators = {};
      download.generation = new Generation(storage, id, Generation.newName(), bytes ?? null);
    },
  };
  return download;
}

async function fail(error: unknown): Promise<never> {
  throw await storageError(error);
}

/** Compares the hash and makes a model of the chunks. */
async function publish(storage: Storage, wanted: Wanted, download: Download): Promise<StoredModel> {
  const { id, url, name, sha256 } = wanted;
  const inOneGo = (): boolean => download.generation.totalBytes === download.fetchedBytes;
  let found = await download.generation.sha256();
  if (sha256 !== undefined && found !== sha256 && !inOneGo()) {
    // Parts of different files, perhaps: a server need not say which version it gives.
    await download.restart('hash');
    await fetchMissing(download);
    found = await download.generation.sha256();
  }
  const { generation } = download;
  if (sha256 !== undefined && found !== sha256) {
    const keep = (await records.readModel(storage, id))?.generation;
    await records.removePartial(storage, id);
    await sweep(storage, id, keep ? [keep] : []);
    throw new MidlineError({
      code: 'hash-mismatch',
      message: `The file at ${url} is another one than was asked for`,
      expected: `SHA-256 ${sha256}`,
      found: `SHA-256 ${found}`,
    });
  }
  const record: ModelRecord = {
    ...{ name, url, generation: generation.name, totalBytes: generation.totalBytes as number },
    ...{ sha256: found, chunks: generation.digests(), ...download.validators },
  };
  await records.writeModel(storage, id, record).catch(fail);
  await records.removePartial(storage, id);
  await sweep(storage, id, [generation.name]);
  return stored(id, record, generation);
}
