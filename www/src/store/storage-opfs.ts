/**
 * The origin private file system. Files are written through `createWritable`, which puts the new content in place when
 * it is closed; a file handle's `getFile` gives a `File` that reads from the disk.
 */
import type { Storage, StoredFile } from './storage.js';

/** Opens it, or throws what the browser lacks or denies. */
export async function opfsStorage(root: string): Promise<Storage> {
  const { storage } = navigator;
  if (typeof storage?.getDirectory !== 'function') throw new Error('the browser has none');
  if (typeof FileSystemFileHandle.prototype.createWritable !== 'function')
    throw new Error('the browser cannot write to it from a page');
  const directory = await (await storage.getDirectory()).getDirectoryHandle(root, { create: true });

  const open = (folder: string): Promise<FileSystemDirectoryHandle | undefined> =>
    directory.getDirectoryHandle(folder).catch(absent);
  return {
    async folders() {
      const names: string[] = [];
      for await (const handle of directory.values()) if (handle.kind === 'directory') names.push(handle.name);
      return names;
    },
    async files(folder) {
      const files: StoredFile[] = [];
      for await (const handle of (await open(folder))?.values() ?? []) {
        if (handle.kind !== 'file') continue;
        const file = await handle.getFile().catch(absent);
        if (file) files.push({ name: handle.name, bytes: file.size });
      }
      return files;
    },
    async read(folder, name) {
      const handle = await (await open(folder))?.getFileHandle(name).catch(absent);
      return handle?.getFile().catch(absent);
    },
    async write(folder, name, bytes) {
      const place = await directory.getDirectoryHandle(folder, { create: true });
      const handle = await place.getFileHandle(name, { create: true });
      const writable = await handle.createWritable();
      try {
        await writable.write(bytes);
        await writable.close();
      } catch (error) {
        await writable.abort().catch(() => undefined);
        await place.removeEntry(name).catch(() => undefined);
        throw error;
      }
    },
    async remove(folder, name) {
      await (await open(folder))?.removeEntry(name).catch(absent);
    },
    async removeFolder(folder) {
      await directory.removeEntry(folder, { recursive: true }).catch(absent);
    },
  };
}

/** Something that is not there is an answer; anything else is not. */
function absent(error: unknown): undefined {
  if (error instanceof DOMException && error.name === 'NotFoundError') return undefined;
  throw error;
}
