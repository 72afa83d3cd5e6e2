/**
 * The two records of a model's folder. `model.json` exists only for a model that was complete and verified, so that
 * writing it publishes the model; `partial.json` says what the chunks of a download belong to. Each begins with the hash
 * of the rest: a damaged record is none.
 */
import { digestOfText } from './hashing.js';
import type { Storage } from './storage.js';

/** What a server says about the version of a file. */
export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
}

/** A download that is not over. */
export interface PartialRecord extends Validators {
  readonly name: string;
  readonly url: string;
  readonly generation: string;
  readonly totalBytes: number | null;
  /** What was asked for. */
  readonly bytes?: number;
  readonly sha256?: string;
}

/** A model. */
export interface ModelRecord extends Validators {
  readonly name: string;
  /** Absent for an imported file. */
  readonly url?: string;
  readonly generation: string;
  readonly totalBytes: number;
  readonly sha256: string;
  /** SHA-256 of every chunk, in order. */
  readonly chunks: readonly string[];
}

const MODEL = 'model.json';
const PARTIAL = 'partial.json';

export const readModel = (storage: Storage, folder: string): Promise<ModelRecord | undefined> =>
  read<ModelRecord>(storage, folder, MODEL);
export const readPartial = (storage: Storage, folder: string): Promise<PartialRecord | undefined> =>
  read<PartialRecord>(storage, folder, PARTIAL);
export const writeModel = (storage: Storage, folder: string, record: ModelRecord): Promise<void> =>
  write(storage, folder, MODEL, record);
export const writePartial = (storage: Storage, folder: string, record: PartialRecord): Promise<void> =>
  write(storage, folder, PARTIAL, record);
export const removePartial = (storage: Storage, folder: string): Promise<void> =>
  storage.remove(folder, PARTIAL);

async function read<R>(storage: Storage, folder: string, name: string): Promise<R | undefined> {
  const text = await (await storage.read(folder, name))?.text().catch(() => undefined);
  const end = text?.indexOf('\n') ?? -1;
  if (text === undefined || end < 0) return undefined;
  const body = text.slice(end + 1);
  return (await digestOfText(body)) === text.slice(0, end) ? (JSON.parse(body) as R) : undefined;
}

async function write(storage: Storage, folder: string, name: string, record: object): Promise<void> {
  const body = JSON.stringify(record);
  await storage.write(folder, name, new TextEncoder().encode(`${await digestOfText(body)}\n${body}`));
}
