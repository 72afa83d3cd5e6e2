/** The public types of `midline/store`. `...Bytes` counts bytes, `...Ms` milliseconds. */

/** A model to be had by its address; the rows of `models/manifest.json` become one by adding `url`. */
export interface ModelEntry {
  /** Name of its place in the store: 1 to 100 of the characters `A-Z a-z 0-9 . _ -`, the first no dot. */
  readonly id: string;
  /** A string is resolved against the page. */
  readonly url: string | URL;
  /** For people; the id by default. */
  readonly name?: string;
  /** Length of the file. What the server announces must agree. */
  readonly bytes?: number;
  /** SHA-256 of the file in hexadecimal. What is stored under the id and has another one is replaced. */
  readonly sha256?: string;
}

/** A model that is complete in the store. May be given to `createCompleter` as `model`. */
export interface StoredModel {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  /** Computed while the file was written, and what {@link ModelEntry.sha256} asked for if it did. */
  readonly sha256: string;
  /** The stored bytes, by reference: reading a slice reads that part from the disk. */
  readonly blob: Blob;
}

/** One row of {@link ModelStore.list}. */
export interface StoredEntry {
  readonly id: string;
  readonly name: string;
  /** Bytes that are stored. */
  readonly storedBytes: number;
  /** Length of the file; `null` while a server has not said it. */
  readonly totalBytes: number | null;
  /** Whether all of it is there. Damage is found by `get`, not here. */
  readonly complete: boolean;
  /** Of a complete model. */
  readonly sha256?: string;
  /** Where it came from; absent for an imported file. */
  readonly url?: string;
}

/** Why a download began at byte 0 again although a part of the file was there. */
export type Restart =
  /** The server ignored the range that was asked for, or gave another one. */
  | 'no-ranges'
  /** The server has another file at the address now. */
  | 'changed'
  /** The parts did not make up the file with the hash that was asked for. */
  | 'hash';

/** What `onProgress` is told. */
export interface StoreProgress {
  /**
   * `check`: stored bytes are read and their hashes compared. `download`: bytes come from the network. `import`: a
   * file is copied.
   */
  readonly phase: 'check' | 'download' | 'import';
  /** Bytes of the model that are there (`check`: that were read). */
  readonly loadedBytes: number;
  /** `null` where the server does not say. */
  readonly totalBytes: number | null;
  /** Bytes that came over the network in this call. */
  readonly fetchedBytes: number;
  /** Whether another tab does the work and this one follows it. */
  readonly following: boolean;
  /** The last restart of this call. */
  readonly restarted?: Restart;
}

/** Options of {@link ModelStore.get}. */
export interface GetOptions {
  /** Aborting rejects with an `AbortError`; what has arrived stays and is gone on from. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: StoreProgress) => void;
  /** Attempts after one that brought nothing new: 3 by default. One that brought bytes is always followed by another. */
  readonly retries?: number;
  /** Time without a byte after which a connection is given up: 30,000 by default. */
  readonly stallMs?: number;
}

/** Options of {@link ModelStore.import}. */
export interface ImportOptions {
  /** By default one made from name, length and date of the file, so that the same file gets the same place. */
  readonly id?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: StoreProgress) => void;
}

/** Where models are kept; `memory` ends with the page. */
export type StorageKind = 'opfs' | 'cache' | 'memory';

/** Options of {@link openModelStore}. */
export interface ModelStoreOptions {
  /** Name of the folder; stores with different names know nothing of each other. `midline-models` by default. */
  readonly folder?: string;
  /** Forces one kind of storage. By default the first that works: `opfs`, `cache`, `memory`. */
  readonly storage?: StorageKind;
}

/** What {@link ModelStore.usage} tells. */
export interface StoreUsage {
  /** Bytes of models and of parts of models in this store. */
  readonly modelsBytes: number;
  /** Bytes that everything of this origin takes, and may take, as the browser estimates; absent where it does not say. */
  readonly usedBytes?: number;
  readonly quotaBytes?: number;
  /** Whether the browser keeps the data when the disk becomes full; absent where it does not say. */
  readonly persisted?: boolean;
  readonly storage: StorageKind;
  /** Why it is not OPFS. */
  readonly storageReason?: string;
}

/** Models that stay on the device. Every promise rejects with a `MidlineError` or an `AbortError`. */
export interface ModelStore {
  readonly storage: StorageKind;
  /** Why it is not OPFS. */
  readonly storageReason?: string;
  /**
   * The model of an entry: what is stored is checked by its hashes, and what is missing or damaged is fetched. Of
   * several calls for one id, also in several tabs, one does the work and the others follow its progress.
   *
   * Rejects with `request-invalid`, `offline`, `cors`, `http-status`, `not-a-model`, `length-mismatch`,
   * `hash-mismatch`, `quota` or `storage`.
   */
  get(entry: ModelEntry, options?: GetOptions): Promise<StoredModel>;
  /** A model that is complete in the store, checked by its hashes; `undefined` if there is none. Never asks the network. */
  open(id: string, options?: Pick<GetOptions, 'signal' | 'onProgress'>): Promise<StoredModel | undefined>;
  /** Copies a file that a person picked or dropped. Rejects with `not-a-model`, `quota`, `storage` or `io`. */
  import(file: Blob, options?: ImportOptions): Promise<StoredModel>;
  list(): Promise<StoredEntry[]>;
  /** Deletes a model and the parts of one; nothing happens if there is none. Rejects with `busy` while it is being fetched. */
  delete(id: string): Promise<void>;
  usage(): Promise<StoreUsage>;
  /** Asks the browser to keep the data when the disk becomes full; whether it does. */
  persist(): Promise<boolean>;
}
