/**
 * Where bytes are kept: named files in named folders, of which each appears whole or not at all. Three kinds behind one
 * narrow interface; everything above is the same for all of them.
 */
import { describe } from '../client/errors.js';
import { cacheStorage } from './storage-cache.js';
import { memoryStorage } from './storage-memory.js';
import { opfsStorage } from './storage-opfs.js';
import type { StorageKind } from './types.js';

/** A file in a folder. */
export interface StoredFile {
  readonly name: string;
  readonly bytes: number;
}

export interface Storage {
  /** Names of the folders. */
  folders(): Promise<string[]>;
  /** The files of a folder; none if there is no folder. */
  files(folder: string): Promise<StoredFile[]>;
  /** A file by reference, read when its bytes are asked for. */
  read(folder: string, name: string): Promise<Blob | undefined>;
  /** Writes a file as a whole: after a crash at any moment it is the old one, the new one, or empty. */
  write(folder: string, name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Nothing happens where there is no such file. */
  remove(folder: string, name: string): Promise<void>;
  removeFolder(folder: string): Promise<void>;
}

/** A storage that works here. */
export interface OpenedStorage {
  readonly kind: StorageKind;
  readonly storage: Storage;
  /** Why none of the better kinds. */
  readonly reason?: string;
}

const KINDS: Record<StorageKind, (root: string) => Promise<Storage>> = {
  opfs: opfsStorage,
  cache: cacheStorage,
  memory: memoryStorage,
};
export const STORAGE_KINDS = Object.keys(KINDS) as StorageKind[];

/** Opens the first kind that works: where a browser denies storage it does so here. */
export async function openStorage(root: string, forced?: StorageKind): Promise<OpenedStorage> {
  const reasons: string[] = [];
  for (const kind of forced ? [forced] : STORAGE_KINDS) {
    try {
      const storage = await KINDS[kind](root);
      return { kind, storage, ...(reasons.length > 0 && { reason: reasons.join('; ') }) };
    } catch (error) {
      if (forced) throw error;
      reasons.push(`${kind}: ${describe(error)}`);
    }
  }
  throw new Error('memory is always there');
}
