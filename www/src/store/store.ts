/** The store: one folder a model, one lock a model, and the questions about all of them. */
import { describe, MidlineError, reportUncaught } from '../client/errors.js';
import { missingRanges, parseChunkName } from './chunks.js';
import { aborted, refuseOthers, storageError } from './failures.js';
import { Generation, sweep } from './generation.js';
import { digestOfText } from './hashing.js';
import { exclusive, ifFree, ProgressChannel } from './locks.js';
import { checked, obtain, stored, type Report } from './obtain.js';
import { checkId, wantedOf } from './options.js';
import * as records from './records.js';
import { openStorage, type OpenedStorage } from './storage.js';
import type * as types from './types.js';

/** A browser that asks the person may never hear an answer. */
const PERSIST_LIMIT_MS = 10_000;
/** Pieces in which an imported file is read. */
const IMPORT_BYTES = 1024 * 1024;
/** Least distance between two reports of progress. */
const REPORT_EVERY_BYTES = 64 * 1024;

type OnProgress = ((progress: types.StoreProgress) => void) | undefined;

export class Store implements types.ModelStore {
  readonly storage: types.StorageKind;
  readonly storageReason?: string;
  readonly #opened: OpenedStorage;
  readonly #folder: string;

  private constructor(folder: string, opened: OpenedStorage) {
    this.#folder = folder;
    this.#opened = opened;
    this.storage = opened.kind;
    if (opened.reason !== undefined) this.storageReason = opened.reason;
  }

  static async open({ folder = 'midline-models', storage }: types.ModelStoreOptions): Promise<Store> {
    return new Store(folder, await openStorage(folder, storage));
  }

  async get(entry: types.ModelEntry, options: types.GetOptions = {}): Promise<types.StoredModel> {
    const wanted = wantedOf(entry, options);
    return this.#alone(wanted.id, options.signal, options.onProgress, (report) =>
      obtain(this.#opened.storage, wanted, report),
    );
  }

  async open(
    id: string,
    { signal, onProgress }: Pick<types.GetOptions, 'signal' | 'onProgress'> = {},
  ): Promise<types.StoredModel | undefined> {
    checkId(id);
    const { storage } = this.#opened;
    return this.#alone(id, signal, onProgress, async (report) => {
      const record = await records.readModel(storage, id);
      if (!record) return undefined;
      const generation = await checked(storage, id, record, report, signal);
      const missing = missingRanges(generation.held, record.totalBytes);
      if (missing.length === 0) return stored(id, record, generation);
      throw new MidlineError({
        code: 'storage',
        message: `The stored model ${id} is damaged`,
        expected: `${record.totalBytes} bytes as they were written`,
        found: `damage in ${missing.map(({ start, end }) => `${start}..${end}`).join(', ')}`,
      });
    });
  }

  async import(file: Blob, options: types.ImportOptions = {}): Promise<types.StoredModel> {
    if (!(file instanceof Blob)) {
      const message = 'file must be a File or a Blob';
      throw new MidlineError({ code: 'request-invalid', message, expected: 'a File', found: typeof file });
    }
    const { name = 'model.gguf', lastModified = 0 } = file as Partial<File>;
    const id =
      options.id ?? `file-${(await digestOfText(`${name}/${file.size}/${lastModified}`)).slice(0, 16)}`;
    checkId(id);
    return this.#alone(id, options.signal, options.onProgress, (report) =>
      this.#copy(id, name, file, report, options.signal),
    );
  }

  async #copy(
    id: string,
    name: string,
    file: Blob,
    report: Report,
    signal: AbortSignal | undefined,
  ): Promise<types.StoredModel> {
    const { storage } = this.#opened;
    const generation = new Generation(storage, id, Generation.newName(), file.size);
    const before = (await records.readModel(storage, id))?.generation;
    try {
      for (let at = 0; at < file.size || at === 0; at += IMPORT_BYTES) {
        if (signal?.aborted) throw aborted();
        const piece = await file
          .slice(at, at + IMPORT_BYTES)
          .arrayBuffer()
          .catch(unreadable);
        const bytes = new Uint8Array(piece);
        if (at === 0) refuseOthers(bytes.subarray(0, 64), name);
        await generation.append(bytes);
        const loadedBytes = at + bytes.length;
        report({ phase: 'import', loadedBytes, totalBytes: file.size, fetchedBytes: 0 });
      }
      const sha256 = await generation.sha256();
      const chunks = generation.digests();
      const record = { name, generation: generation.name, totalBytes: file.size, sha256, chunks };
      await records.writeModel(storage, id, record);
      await sweep(storage, id, [generation.name]);
      return await stored(id, record, generation);
    } catch (error) {
      await sweep(storage, id, before ? [before] : []);
      throw error;
    }
  }

  async list(): Promise<types.StoredEntry[]> {
    return this.#guarded(async () => {
      const { storage } = this.#opened;
      const rows = await Promise.all((await storage.folders()).map((id) => this.#row(id)));
      return rows.filter((row) => row !== undefined).sort((a, b) => (a.id < b.id ? -1 : 1));
    });
  }

  async #row(id: string): Promise<types.StoredEntry | undefined> {
    const { storage } = this.#opened;
    const record = await records.readModel(storage, id);
    const partial = record ? undefined : await records.readPartial(storage, id);
    const of = record ?? partial;
    const files = await storage.files(id);
    if (!of && files.length === 0) return undefined;
    const chunks = files.filter(({ name }) => {
      const generation = parseChunkName(name)?.generation;
      return generation !== undefined && generation === (of?.generation ?? generation);
    });
    return {
      id,
      name: of?.name ?? id,
      storedBytes: chunks.reduce((sum, { bytes }) => sum + bytes, 0),
      totalBytes: of?.totalBytes ?? null,
      complete: record !== undefined,
      ...(record && { sha256: record.sha256 }),
      ...(of?.url !== undefined && { url: of.url }),
    };
  }

  async delete(id: string): Promise<void> {
    checkId(id);
    const done = await ifFree(this.#lock(id), () =>
      this.#guarded(() => this.#opened.storage.removeFolder(id)),
    );
    if (done) return;
    throw new MidlineError({
      code: 'busy',
      message: `The model ${id} is being fetched`,
      expected: 'a model at rest: abort what fetches it first',
      found: 'one in use, perhaps by another tab',
    });
  }

  async usage(): Promise<types.StoreUsage> {
    const rows = await this.list();
    const manager = globalThis.navigator?.storage;
    const { quota, usage } = (await manager?.estimate?.().catch(() => undefined)) ?? {};
    const persisted = await manager?.persisted?.().catch(() => undefined);
    return {
      modelsBytes: rows.reduce((sum, { storedBytes }) => sum + storedBytes, 0),
      ...(usage !== undefined && { usedBytes: usage }),
      ...(quota !== undefined && { quotaBytes: quota }),
      ...(persisted !== undefined && { persisted }),
      storage: this.storage,
      ...(this.storageReason !== undefined && { storageReason: this.storageReason }),
    };
  }

  async persist(): Promise<boolean> {
    const asked = globalThis.navigator?.storage?.persist?.().catch(() => false) ?? false;
    const late = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), PERSIST_LIMIT_MS));
    return Promise.race([asked, late]);
  }

  #lock(id: string): string {
    return `${this.#folder}/${id}`;
  }

  /** Runs `work` while no other tab works on this model; until then the other's progress is heard. */
  async #alone<R>(
    id: string,
    signal: AbortSignal | undefined,
    onProgress: OnProgress,
    work: (report: Report) => Promise<R>,
  ): Promise<R> {
    const channel = new ProgressChannel(this.#folder, id);
    const hear = guardedListener(onProgress);
    channel.follow(hear);
    let told: types.StoreProgress | undefined;
    const report: Report = (given) => {
      const progress = { ...given, following: false };
      const near =
        told?.phase === progress.phase && progress.loadedBytes - told.loadedBytes < REPORT_EVERY_BYTES;
      if (
        near &&
        progress.loadedBytes >= (told?.loadedBytes ?? 0) &&
        progress.loadedBytes !== progress.totalBytes
      )
        return;
      told = progress;
      hear(progress);
      channel.tell(progress);
    };
    try {
      return await exclusive(this.#lock(id), signal, () => {
        channel.stopFollowing();
        return this.#guarded(() => work(report));
      });
    } finally {
      channel.close();
    }
  }

  /** Anything unforeseen comes from the storage: everything else has its error already. */
  async #guarded<R>(work: () => Promise<R>): Promise<R> {
    try {
      return await work();
    } catch (error) {
      throw await storageError(error);
    }
  }
}

/** What a listener throws is reported, the first time, and changes nothing. */
function guardedListener(onProgress: OnProgress): (progress: types.StoreProgress) => void {
  let failed = false;
  return (progress) => {
    try {
      onProgress?.(progress);
    } catch (error) {
      if (!failed) reportUncaught(error);
      failed = true;
    }
  };
}

function unreadable(error: unknown): never {
  throw new MidlineError({
    code: 'io',
    message: 'The file could not be read',
    expected: 'a file that is there and was not changed since it was picked',
    found: describe(error),
  });
}
