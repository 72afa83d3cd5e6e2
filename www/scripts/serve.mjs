/**
 * Serves the built playground, and models from the repository beside it. Also the
 * server of the browser tests.
 *
 *   node scripts/serve.mjs [--port N] [--host H] [--not-isolated] [--open]
 *
 * The headers of cross-origin isolation let the engine use several threads; `--not-isolated` leaves them out.
 */
import { spawn } from 'node:child_process';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.wasm': 'application/wasm',
};

/** The headers that make a page cross-origin isolated. */
export const ISOLATION_HEADERS = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};

const www = fileURLToPath(new URL('..', import.meta.url));

/** Where the playground finds what: built files first, then `models/` of the repository. */
export const PLAYGROUND_MOUNTS = [
  { at: '/', directory: join(www, 'dist-playground') },
  { at: '/models/', directory: join(www, '../models') },
];

/**
 * Starts a server of static files. The first mount that has the file wins; there is
 * no catch-all page, so a missing model is a 404 and not HTML.
 *
 * @param {object} options
 * @param {{ at: string, directory: string }[]} options.mounts
 * @param {Record<string, string>} [options.headers] added to every response
 * @param {number} [options.port] 0 picks a free one
 * @param {string} [options.host]
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export function startServer({ mounts, headers = {}, port = 0, host = '127.0.0.1' }) {
  const server = createServer((request, response) => {
    const file =
      request.method === 'GET' || request.method === 'HEAD' ? find(mounts, request.url) : undefined;
    if (!file) {
      response.writeHead(404, { 'content-type': 'text/plain', ...headers }).end('not found\n');
      return;
    }
    response.writeHead(200, {
      'content-type': TYPES[extname(file)] ?? 'application/octet-stream',
      'content-length': statSync(file).size,
      'cache-control': 'no-cache',
      ...headers,
    });
    if (request.method === 'HEAD') response.end();
    else createReadStream(file).pipe(response);
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      resolve({
        url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            server.closeAllConnections();
          }),
      });
    });
  });
}

/** The file for a request, or `undefined`; never one outside the mounted directories. */
function find(mounts, url) {
  let path;
  try {
    path = decodeURIComponent(new URL(url, 'http://localhost').pathname);
  } catch {
    return undefined;
  }
  if (path.includes('\0')) return undefined;
  if (path.endsWith('/')) path += 'index.html';
  for (const { at, directory } of mounts) {
    if (!path.startsWith(at)) continue;
    const file = normalize(join(directory, path.slice(at.length)));
    if (file.startsWith(normalize(directory) + sep) && existsSync(file) && statSync(file).isFile())
      return file;
  }
  return undefined;
}

async function main() {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '4173' },
      host: { type: 'string', default: '127.0.0.1' },
      'not-isolated': { type: 'boolean', default: false },
      open: { type: 'boolean', default: false },
    },
  });
  if (!existsSync(join(www, 'dist-playground/index.html'))) {
    console.error('The playground is not built: run "make serve", or "npm run build" in www/.');
    process.exit(1);
  }
  const headers = values['not-isolated'] ? {} : ISOLATION_HEADERS;
  const listen = (port) => startServer({ mounts: PLAYGROUND_MOUNTS, headers, port, host: values.host });
  // A taken port is no reason not to show the page.
  const { url } = await listen(Number(values.port)).catch((error) => {
    if (error.code === 'EADDRINUSE') return listen(0);
    throw error;
  });
  console.log(`Midline playground: ${url}/`);
  if (values.open) {
    const opener = { darwin: 'open', win32: 'explorer' }[process.platform] ?? 'xdg-open';
    spawn(opener, [`${url}/`], { stdio: 'ignore', detached: true })
      .on('error', () => undefined)
      .unref();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
