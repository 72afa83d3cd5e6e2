/**
 * A server of one file that can be made to fail in every way that servers do, and that counts what it sends. It also
 * serves the built package, so that a page of its origin can use it.
 */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { repository } from './sites.js';

/** How the server answers for `/model.gguf`. */
export interface Behaviour {
  file: Buffer;
  etag?: string | undefined;
  /** Answers ranges with the whole file. */
  noRanges?: boolean;
  /** Answers ranges with a part from elsewhere, and says so. */
  wrongRange?: boolean;
  /** Closes the connection after so many bytes of a body. */
  cutAfter?: number | undefined;
  /** After a cut it answers further requests; without this it is down. */
  backAgain?: boolean;
  /** Closes every connection without a word. */
  down?: boolean;
  /** Ends the body in order after so many bytes, without having said its length. */
  endAfter?: number;
  status?: number;
  /** Says this length and sends the file all the same. */
  declared?: number;
  html?: boolean;
  /** Sends nothing after the headers. */
  silent?: boolean;
  /** Lets pages of other origins read. */
  cors?: boolean;
  pieceBytes?: number;
  pauseMs?: number;
}

export interface ModelServer {
  readonly url: string;
  behaviour: Behaviour;
  /** Every request for the file: the range it asked for, and the bytes of its body. */
  readonly requests: { readonly range: string | undefined; sent: number }[];
  sentBytes(): number;
  close(): Promise<void>;
}

const TYPES: Record<string, string> = {
  '.js': 'text/javascript',
  '.html': 'text/html',
  '.wasm': 'application/wasm',
};

export async function modelServer(behaviour: Behaviour): Promise<ModelServer> {
  const requests: ModelServer['requests'] = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    if (path === '/model.gguf') void answer(self.behaviour, request, response, requests);
    else serveFile(path, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const self: ModelServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behaviour,
    requests,
    sentBytes: () => requests.reduce((sum, { sent }) => sum + sent, 0),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
  return self;
}

function serveFile(path: string, response: ServerResponse): void {
  const folder = path.startsWith('/dist/') ? 'www' : path.startsWith('/app/') ? 'tests/e2e/pages' : undefined;
  try {
    const inside = path.replace(/^\/app\//, '/').replace(/\/$/, '/index.html');
    const body = readFileSync(join(repository, folder ?? 'none', inside));
    response
      .writeHead(200, { 'content-type': TYPES[extname(inside)] ?? 'application/octet-stream' })
      .end(body);
  } catch {
    response.writeHead(404).end();
  }
}

async function answer(
  behaviour: Behaviour,
  request: IncomingMessage,
  response: ServerResponse,
  requests: ModelServer['requests'],
): Promise<void> {
  const { file, etag, cutAfter, endAfter, declared, pieceBytes = 65_536, pauseMs = 0 } = behaviour;
  const cors = behaviour.cors ? { 'access-control-allow-origin': '*' } : {};
  const range = request.headers.range;
  const log = { range, sent: 0 };
  requests.push(log);
  if (behaviour.down) return void request.socket.destroy();
  if (behaviour.status) return void response.writeHead(behaviour.status, cors).end();
  if (behaviour.html)
    return void response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>Log in</p>');
  const version = request.headers['if-range'];
  const asked = /^bytes=(\d+)-(\d*)$/.exec(range ?? '');
  const useRange = asked && !behaviour.noRanges && (version === undefined || version === etag);
  let [start, end] = useRange
    ? [Number(asked[1]), asked[2] ? Number(asked[2]) + 1 : file.length]
    : [0, file.length];
  if (useRange && behaviour.wrongRange) start = Math.max(0, start - 10);
  const headers: Record<string, string | number> = { ...cors, ...(etag && { etag }) };
  if (endAfter === undefined) headers['content-length'] = declared ?? end - start;
  else end = Math.min(end, start + endAfter);
  if (useRange) headers['content-range'] = `bytes ${start}-${end - 1}/${file.length}`;
  response.writeHead(useRange ? 206 : 200, headers);
  response.flushHeaders();
  if (behaviour.silent) return;
  const limit = cutAfter === undefined ? end : Math.min(end, start + cutAfter);
  for (let at = start; at < limit && !response.destroyed; at += pieceBytes) {
    const piece = file.subarray(at, Math.min(at + pieceBytes, limit));
    // Counted when it has left: what a closed connection never took was not sent.
    await new Promise<void>((sent) => response.write(piece, () => sent()));
    log.sent += piece.length;
    if (pauseMs) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  if (limit < end || (declared ?? 0) > end) {
    // A browser lets go of bytes that it has not given out yet when the connection breaks.
    await new Promise((resolve) => setTimeout(resolve, 20));
    if (cutAfter !== undefined && !behaviour.backAgain) behaviour.down = true;
    response.destroy();
  } else response.end();
}
