/** Opening models: from a server that behaves and servers that do not, and from blobs. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { blobSource, openModel, piecesSource } from '../src/client/model-source.js';
import type { LoadProgress } from '../src/client/types.js';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
  vi.unstubAllGlobals();
});

async function serve(listener: RequestListener): Promise<string> {
  const started = createServer(listener);
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  const address = started.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/m.gguf`;
}

const open = (url: string, onProgress: (progress: LoadProgress) => void = () => undefined) =>
  openModel({ kind: 'url', url }, onProgress);

/** Bytes that differ from place to place. */
const pattern = (length: number): Uint8Array<ArrayBuffer> => {
  const bytes = Uint8Array.from({ length }, (_, i) => (i * 31 + (i >> 8)) & 0xff);
  bytes.set(new TextEncoder().encode('GGUF').subarray(0, length));
  return bytes;
};

describe('a URL', () => {
  it('gives the bytes of the response, in any order, and its progress', async () => {
    const model = pattern(9_000_001); // three pieces, the last one short
    const url = await serve((_, response) =>
      response.writeHead(200, { 'content-length': model.length }).end(model),
    );
    const seen: LoadProgress[] = [];
    const source = await open(url, (progress) => seen.push(progress));
    expect(source.size).toBe(model.length);
    for (const [offset, length] of [
      [0, 4],
      [4 * 1024 * 1024 - 3, 7],
      [8_999_990, 11],
      [1, 9_000_000],
      [5, 0],
    ] as const) {
      const into = new Uint8Array(length);
      source.read(offset, into);
      expect(Buffer.compare(into, model.subarray(offset, offset + length))).toBe(0);
    }
    expect(() => source.read(9_000_000, new Uint8Array(2))).toThrow(RangeError);
    expect(seen[0]).toEqual({ phase: 'download', loadedBytes: 0, totalBytes: model.length });
    expect(seen.at(-1)).toEqual({ phase: 'download', loadedBytes: model.length, totalBytes: model.length });
    expect(seen.every((p, i) => i === 0 || p.loadedBytes >= (seen[i - 1]?.loadedBytes ?? 0))).toBe(true);
  });

  it('does not know the total without a length', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200).write('GGUF');
      response.end('rest');
    });
    const onProgress = vi.fn();
    expect((await open(url, onProgress)).size).toBe(8);
    expect(onProgress).toHaveBeenLastCalledWith({ phase: 'download', loadedBytes: 8, totalBytes: null });
  });

  it('with an error status is refused', async () => {
    const url = await serve((_, response) => response.writeHead(404).end('no'));
    await expect(open(url)).rejects.toMatchObject({ code: 'http-status', found: 'status 404 Not Found' });
  });

  it('that nobody answers is offline', async () => {
    const url = await serve((_, response) => response.end());
    server?.close();
    await expect(open(url)).rejects.toMatchObject({ code: 'offline' });
  });

  it('whose connection breaks says how far it came', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 1000 }).write(pattern(100));
      setTimeout(() => response.destroy(), 20);
    });
    await expect(open(url)).rejects.toMatchObject({
      code: 'offline',
      expected: '1000 bytes',
      found: expect.stringContaining('100 bytes'),
    });
  });

  it.each([
    ['a page', '<!doctype html><title>App</title>', 'a web page'],
    ['a page after white space and a byte order mark', '\ufeff \n<html>', 'a web page'],
    ['a Git LFS pointer', 'version https://git-lfs.github.com/spec/v1\noid sha256:0\n', 'a Git LFS pointer'],
  ])('that gives %s is no model', async (_, body, found) => {
    const url = await serve((_request, response) => response.end(body));
    await expect(open(url)).rejects.toMatchObject({ code: 'not-a-model', expected: 'a GGUF file', found });
  });

  it.each(['', 'plain text', 'GG'])('that gives %j is left to the engine to judge', async (body) => {
    const url = await serve((_, response) => response.end(body));
    expect((await open(url)).size).toBe(body.length);
  });
});

describe('a blob', () => {
  /** Node has no `FileReaderSync`; this one reads blobs made of known bytes. */
  const known = new WeakMap<Blob, Uint8Array<ArrayBuffer>>();
  class FakeReader {
    readAsArrayBuffer(blob: Blob): ArrayBuffer {
      return (known.get(blob) as Uint8Array<ArrayBuffer>).slice().buffer;
    }
  }

  it('is read slice by slice and refuses to give less than asked', () => {
    vi.stubGlobal('FileReaderSync', FakeReader);
    const bytes = pattern(100);
    const blob = {
      size: 100,
      slice(start: number, end: number) {
        const part = new Blob();
        known.set(part, bytes.slice(start, end));
        return part;
      },
    } as Blob;
    const source = blobSource(blob);
    const into = new Uint8Array(10);
    source.read(90, into);
    expect([...into]).toEqual([...bytes.subarray(90)]);
    expect(() => source.read(91, into)).toThrow(RangeError);
  });
});

describe('pieces', () => {
  it.each([1, 2, 3, 5, 8])('of %i bytes read as one', (pieceBytes) => {
    const bytes = pattern(13);
    const pieces: Uint8Array[] = [];
    for (let i = 0; i < bytes.length; i += pieceBytes) pieces.push(bytes.subarray(i, i + pieceBytes));
    const source = piecesSource(pieces, bytes.length, pieceBytes);
    for (let offset = 0; offset <= 13; offset++) {
      for (let length = 0; offset + length <= 13; length++) {
        const into = new Uint8Array(length);
        source.read(offset, into);
        expect([...into]).toEqual([...bytes.subarray(offset, offset + length)]);
      }
    }
  });
});
