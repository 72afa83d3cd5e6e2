/**
 * The one error class of the package. Errors cross the worker boundary as plain
 * {@link ErrorFields}, because structured cloning keeps neither class nor fields.
 */

/** Codes the engine gives; they name what is wrong with a model or a request. */
export type EngineErrorCode =
  | 'gguf-magic'
  | 'gguf-version'
  | 'gguf-truncated'
  | 'gguf-limit'
  | 'gguf-metadata'
  | 'gguf-tensor'
  | 'gguf-unsupported-type'
  | 'model-architecture'
  | 'model-shape'
  | 'model-memory'
  | 'tokenizer-unsupported'
  | 'tokenizer-invalid'
  | 'request-invalid'
  | 'format-unavailable'
  | 'kv-full'
  | 'busy'
  | 'aborted'
  | 'io'
  | 'internal';

/** Codes of the browser side: fetching the model, the worker's life, the browser's abilities. */
export type ClientErrorCode =
  | 'http-status'
  | 'offline'
  | 'cors'
  | 'not-a-model'
  | 'length-mismatch'
  | 'hash-mismatch'
  | 'quota'
  | 'storage'
  | 'worker-died'
  | 'disposed'
  | 'unsupported-browser';

/** Every code a {@link MidlineError} can carry. Codes are stable, messages are not. */
export type ErrorCode = EngineErrorCode | ClientErrorCode;

/** The fields of an error, as plain data. */
export interface ErrorFields {
  readonly code: ErrorCode;
  readonly message: string;
  readonly expected?: string;
  readonly found?: string;
}

/** What every promise of the package rejects with, aborts excepted (those are an `AbortError`). */
export class MidlineError extends Error {
  override readonly name = 'MidlineError';
  /** What went wrong, for code to look at. */
  readonly code: ErrorCode;
  /** What would have been right, where that can be said. */
  readonly expected?: string;
  /** What was there instead. */
  readonly found?: string;

  constructor(fields: ErrorFields) {
    super(fields.message);
    this.code = fields.code;
    if (fields.expected !== undefined) this.expected = fields.expected;
    if (fields.found !== undefined) this.found = fields.found;
  }
}

/** The error of an aborted or superseded request, as the web platform names it. */
export function abortError(message = 'The completion was aborted'): DOMException {
  return new DOMException(message, 'AbortError');
}

/** Plain fields of an error that was meant for the caller, or `undefined` for anything unforeseen. */
export function errorFields(error: unknown): ErrorFields | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, message, expected, found } = error as Record<string, unknown>;
  // A DOMException has a numeric `code`; ours are words.
  if (typeof code !== 'string' || typeof message !== 'string') return undefined;
  return {
    code: code as ErrorCode,
    message,
    ...(typeof expected === 'string' && { expected }),
    ...(typeof found === 'string' && { found }),
  };
}

/** Reports what a caller's function threw, as the platform does for listeners; the work goes on. */
export function reportUncaught(error: unknown): void {
  if (typeof globalThis.reportError === 'function') globalThis.reportError(error);
  else console.error(error);
}

/** Any thrown value as one line of text. */
export function describe(error: unknown): string {
  return error instanceof Error || error instanceof DOMException
    ? `${error.name}: ${error.message}`
    : String(error);
}
