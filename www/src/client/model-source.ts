/**
 * Opens a model for the engine: a `Blob` is read in slices as the engine asks
 * for them, a URL is fetched first. The engine reads synchronously, which only
 * a worker can offer (`FileReaderSync`).
 */
import type { ByteSource, OpenModel } from './engine.js';
import { describe, MidlineError } from './errors.js';
import type { ModelSource } from './protocol.js';
import type { LoadProgress } from './types.js';

/** Size of the pieces a download is kept in: no allocation is larger than this. */
const PIECE_BYTES = 4 * 1024 * 1024;
/** Least distance between two progress reports, so that they cost nothing. */
const REPORT_EVERY_BYTES = 64 * 1024;
/** Enough of the start of a response to tell a web page from a model. */
const SNIFF_BYTES = 64;

/** Opens `model`. Rejects with `http-status`, `offline` or `not-a-model` for a URL; a blob is opened as it is. */
export function openModel(
  model: ModelSource,
  onProgress: (progress: LoadProgress) => void,
): Promise<OpenModel> {
  return model.kind === 'url' ? download(model.url, onProgress) : Promise.resolve(blobSource(model.blob));
}

/** A source over a blob. `read` throws the browser's own error if the file changed or is gone. */
export function blobSource(blob: Blob): ByteSource {
  const reader = new FileReaderSync();
  return {
    size: blob.size,
    read(offset, into) {
      const bytes = new Uint8Array(reader.readAsArrayBuffer(blob.slice(offset, offset + into.length)));
      if (bytes.length < into.length) throw outOfRange(offset, into.length, blob.size);
      into.set(bytes);
    },
  };
}

/** A source over pieces that are all {@link PIECE_BYTES} long, the last one excepted. */
export function piecesSource(
  pieces: readonly Uint8Array[],
  size: number,
  pieceBytes = PIECE_BYTES,
): ByteSource {
  return {
    size,
    read(offset, into) {
      if (offset < 0 || offset + into.length > size) {
        throw outOfRange(offset, into.length, size);
      }
      for (let done = 0; done < into.length;) {
        const at = offset + done;
        const start = at % pieceBytes;
        const piece = pieces[Math.floor(at / pieceBytes)] as Uint8Array;
        const part = piece.subarray(start, Math.min(start + into.length - done, piece.length));
        into.set(part, done);
        done += part.length;
      }
    },
  };
}

const outOfRange = (offset: number, length: number, size: number): RangeError =>
  new RangeError(`bytes ${offset}..${offset + length} were asked for, there are ${size}`);

async function download(url: string, onProgress: (progress: LoadProgress) => void): Promise<OpenModel> {
  const response = await fetch(url).catch((error: unknown) => {
    throw new MidlineError({
      code: 'offline',
      message: `The model could not be reached: ${url}`,
      expected: 'a server that answers and allows this page to read it',
      found: describe(error),
    });
  });
  if (!response.ok || !response.body) {
    throw new MidlineError({
      code: 'http-status',
      message: `The server did not give the model: ${url}`,
      expected: 'status 200',
      found: `status ${response.status} ${response.statusText}`.trimEnd(),
    });
  }
  const totalBytes = declaredLength(response.headers);
  const pieces = new Pieces();
  let reported = 0;
  const report = () => {
    reported = pieces.size;
    onProgress({ phase: 'download', loadedBytes: pieces.size, totalBytes });
  };
  report();
  const reader = response.body.getReader();
  try {
    for (let sniffed = false; ;) {
      const { done, value } = await reader.read();
      if (value) pieces.push(value);
      if (!sniffed && (done || pieces.size >= SNIFF_BYTES)) {
        refuseText(pieces.head(SNIFF_BYTES), url);
        sniffed = true;
      }
      if (done) break;
      if (pieces.size - reported >= REPORT_EVERY_BYTES) report();
    }
  } catch (error) {
    void reader.cancel().catch(() => undefined);
    if (error instanceof MidlineError) throw error;
    throw new MidlineError({
      code: 'offline',
      message: `The connection broke while the model was loading: ${url}`,
      expected: totalBytes === null ? 'the whole file' : `${totalBytes} bytes`,
      found: `${pieces.size} bytes, then ${describe(error)}`,
    });
  }
  report();
  return { ...piecesSource(pieces.list, pieces.size), toBlob: () => pieces.toBlob() };
}

/** Length of the body after decoding, or `null`: the header counts compressed bytes if there is compression. */
function declaredLength(headers: Headers): number | null {
  const length = Number(headers.get('content-length') ?? NaN);
  const encoding = headers.get('content-encoding') ?? 'identity';
  return Number.isSafeInteger(length) && encoding === 'identity' ? length : null;
}

/**
 * Refuses what servers send instead of a model with status 200: a page (an app's
 * catch-all route, a login form) or the pointer that Git LFS leaves in place of a file.
 */
function refuseText(head: Uint8Array, url: string): void {
  const text = new TextDecoder('latin1').decode(head);
  const found = /^(\xef\xbb\xbf)?\s*</.test(text)
    ? 'a web page'
    : text.startsWith('version https://git-lfs')
      ? 'a Git LFS pointer'
      : undefined;
  if (!found) return;
  throw new MidlineError({
    code: 'not-a-model',
    message: `There is no model at ${url}`,
    expected: 'a GGUF file',
    found,
  });
}

/** Repacks chunks of any size into pieces of one size, so that reading finds its place by division. */
class Pieces {
  readonly list: Uint8Array[] = [];
  size = 0;

  push(chunk: Uint8Array): void {
    for (let done = 0; done < chunk.length;) {
      const start = this.size % PIECE_BYTES;
      if (start === 0) this.list.push(new Uint8Array(PIECE_BYTES));
      const part = chunk.subarray(done, done + PIECE_BYTES - start);
      (this.list.at(-1) as Uint8Array).set(part, start);
      done += part.length;
      this.size += part.length;
    }
  }

  toBlob(): Blob {
    const last = this.size % PIECE_BYTES || PIECE_BYTES;
    const parts = this.list.map((piece, i) => (i < this.list.length - 1 ? piece : piece.subarray(0, last)));
    return new Blob(parts as Uint8Array<ArrayBuffer>[]);
  }

  head(length: number): Uint8Array {
    return (this.list[0] ?? new Uint8Array()).subarray(0, Math.min(length, this.size));
  }
}
