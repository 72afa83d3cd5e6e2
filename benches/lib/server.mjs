/** A static server for the bench page: maps URL prefixes to folders, isolates the page, answers on a free port. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
};

/**
 * `mounts`: `{ '/prefix/': folder, '/name': file }`; the longest matching prefix wins. More may be added later. An isolated
 * page has a timer of 5 microseconds, and threads for contenders that are to use them.
 */
export async function serve(mounts, { isolated = true } = {}) {
  const server = createServer(async (request, response) => {
    if (isolated) {
      response.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
      response.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
    }
    response.setHeader('Cache-Control', 'no-store');
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
    const prefixes = Object.keys(mounts).sort((a, b) => b.length - a.length);
    const prefix = prefixes.find((p) => (p.endsWith('/') ? path.startsWith(p) : path === p));
    const file = prefix && (prefix.endsWith('/') ? join(mounts[prefix], path.slice(prefix.length)) : mounts[prefix]);
    const info = file && (await stat(file).catch(() => undefined));
    if (!info?.isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream',
      'Content-Length': info.size,
    });
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, 'localhost', resolve));
  return {
    origin: `http://localhost:${server.address().port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
