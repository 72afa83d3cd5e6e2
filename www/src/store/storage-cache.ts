/** The Cache API, for browsers whose file system is missing or cannot be written to from a page: a response a file. */
import type { Storage } from './storage.js';

/** Length of the file, said by us: a cached response need not have the header of its body. */
const LENGTH = 'x-midline-bytes';

/** Opens it, or throws what the browser lacks or denies. */
export async function cacheStorage(root: string): Promise<Storage> {
  if (typeof caches === 'undefined') throw new Error('the browser has none, or the page is not secure');
  const cache = await caches.open(root);
  const base = new URL(`/${root}/`, globalThis.location.origin).href;
  const address = (folder: string, name: string): string => `${base}${folder}/${name}`;

  /** Folder and name of everything. */
  async function entries(): Promise<{ request: Request; folder: string; name: string }[]> {
    const requests = await cache.keys();
    return requests.flatMap((request) => {
      const [folder, name] = request.url.slice(base.length).split('/');
      return folder && name ? [{ request, folder, name }] : [];
    });
  }
  const inFolder = async (folder: string) => (await entries()).filter((entry) => entry.folder === folder);

  return {
    folders: async () => [...new Set((await entries()).map(({ folder }) => folder))],
    async files(folder) {
      return Promise.all(
        (await inFolder(folder)).map(async ({ request, name }) => ({
          name,
          bytes: Number((await cache.match(request))?.headers.get(LENGTH) ?? 0),
        })),
      );
    },
    read: async (folder, name) => (await cache.match(address(folder, name)))?.blob(),
    async write(folder, name, bytes) {
      const headers = { 'content-type': 'application/octet-stream', [LENGTH]: String(bytes.length) };
      await cache.put(address(folder, name), new Response(bytes, { headers }));
    },
    async remove(folder, name) {
      await cache.delete(address(folder, name));
    },
    async removeFolder(folder) {
      for (const { request } of await inFolder(folder)) await cache.delete(request);
    },
  };
}
