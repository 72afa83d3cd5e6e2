/** Memory, where a browser keeps nothing: models work and are gone with the page. */
import type { Storage } from './storage.js';

export function memoryStorage(): Promise<Storage> {
  const folders = new Map<string, Map<string, Blob>>();
  return Promise.resolve({
    folders: async () => [...folders.keys()],
    files: async (folder) =>
      [...(folders.get(folder) ?? [])].map(([name, blob]) => ({ name, bytes: blob.size })),
    read: async (folder, name) => folders.get(folder)?.get(name),
    async write(folder, name, bytes) {
      const files = folders.get(folder) ?? new Map<string, Blob>();
      folders.set(folder, files.set(name, new Blob([bytes])));
    },
    async remove(folder, name) {
      folders.get(folder)?.delete(name);
    },
    async removeFolder(folder) {
      folders.delete(folder);
    },
  } satisfies Storage);
}
