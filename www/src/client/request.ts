/**
 * Checks arguments and turns them into plain data for the worker. JavaScript
 * callers get a `request-invalid` that says what was wrong, not a surprise later.
 */
import { MidlineError } from './errors.js';
import type { CompletionRequest, ModelSource } from './protocol.js';
import type { CompleteOptions, CompleterOptions, FilterOptions, ModelInBlob } from './types.js';
import { VARIANTS } from './worker-files.js';
import { trimPrefix, trimSuffix } from './window.js';

const FORMATS = ['auto', 'prefix', 'psm', 'spm'];

/** The request for the engine, with the document cut to what is sent. @throws MidlineError `request-invalid` */
export function completionRequest(
  prefix: string,
  suffix: string,
  options: CompleteOptions = {},
): CompletionRequest {
  check('prefix', 'a string', prefix, isString);
  check('suffix', 'a string', suffix, isString);
  check('options', 'an object', options, isObject);
  const { path, languageId, maxSuggestions, maxNewTokens, beamWidth, format, timeBudgetMs, signal } = options;
  const { healing, maxLines, minScore, filters } = options;
  optional('path', 'a string', path, isString);
  optional('languageId', 'a string', languageId, isString);
  optional('maxSuggestions', 'a whole number of 1 or more', maxSuggestions, isCount);
  optional('maxNewTokens', 'a whole number of 1 or more', maxNewTokens, isCount);
  optional('beamWidth', 'a whole number of 1 or more', beamWidth, isCount);
  optional('healing', 'true or false', healing, isBoolean);
  optional('maxLines', 'a whole number of 1 or more', maxLines, isCount);
  optional('minScore', 'a number of 0 or less', minScore, isScore);
  optional('format', `one of ${FORMATS.join(', ')}`, format, (value) => FORMATS.includes(value as string));
  optional('timeBudgetMs', 'a number of 0 or more', timeBudgetMs, isDuration);
  optional('signal', 'an AbortSignal', signal, (value) => value instanceof AbortSignal);
  return {
    prefix: trimPrefix(prefix),
    suffix: trimSuffix(suffix),
    ...defined({ path, languageId, maxSuggestions, maxNewTokens, beamWidth, format, timeBudgetMs }),
    ...defined({ healing, maxLines, minScore, filters: filterSwitches(filters) }),
  };
}

/** The switches of the filters, without what the engine does not know. */
function filterSwitches(filters: FilterOptions | undefined): FilterOptions | undefined {
  optional('filters', 'an object', filters, isObject);
  if (filters === undefined) return undefined;
  const { secrets, emails, destructive, profanity } = filters;
  const switches = { secrets, emails, destructive, profanity };
  for (const [name, value] of Object.entries(switches)) {
    optional(`filters.${name}`, 'true or false', value, isBoolean);
  }
  return defined(switches);
}

/** Most UTF-16 units that `tokenize` takes: the engine does it in one step, which must stay short. */
export const MAX_TOKENIZE_CHARS = 1_000_000;

/** Checks the argument of `tokenize`. @throws MidlineError `request-invalid` */
export function textToTokenize(text: unknown): asserts text is string {
  check('text', 'a string', text, isString);
  const { length } = text as string;
  if (length <= MAX_TOKENIZE_CHARS) return;
  throw invalid('text', `at most ${MAX_TOKENIZE_CHARS} characters long`, `${length} characters`);
}

/** Checks the options of `createCompleter` and gives the model in a form that can be sent again and again. */
export function modelSource(options: CompleterOptions): ModelSource {
  check('options', 'an object', options, isObject);
  const { model, onProgress, preferredFormat, threads, variant, createWorker, wasmUrls } = options;
  optional('onProgress', 'a function', onProgress, isFunction);
  optional('createWorker', 'a function', createWorker, isFunction);
  optional('wasmUrls', 'an object', wasmUrls, isObject);
  optional('threads', 'a whole number of 1 or more', threads, isCount);
  optional('preferredFormat', `one of ${FORMATS.slice(1).join(', ')}`, preferredFormat, (value) =>
    FORMATS.slice(1).includes(value as string),
  );
  optional('variant', `one of ${VARIANTS.join(', ')}`, variant, (value) =>
    (VARIANTS as unknown[]).includes(value),
  );
  if (model instanceof Blob) return { kind: 'blob', blob: model };
  if (isObject(model) && (model as Partial<ModelInBlob>).blob instanceof Blob)
    return { kind: 'blob', blob: (model as ModelInBlob).blob };
  if (model instanceof ArrayBuffer) return { kind: 'blob', blob: new Blob([model]) };
  check(
    'model',
    'a URL, a File or an ArrayBuffer',
    model,
    (value) => isString(value) || value instanceof URL,
  );
  try {
    const { href } = new URL(
      model as string | URL,
      globalThis.document?.baseURI ?? globalThis.location?.href,
    );
    return { kind: 'url', url: href };
  } catch {
    throw invalid('model', 'a URL', kindOf(model));
  }
}

const isString = (value: unknown): boolean => typeof value === 'string';
const isBoolean = (value: unknown): boolean => typeof value === 'boolean';
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;
const isFunction = (value: unknown): boolean => typeof value === 'function';
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 1;
const isScore = (value: unknown): boolean => typeof value === 'number' && value <= 0;
const isDuration = (value: unknown): boolean => Number.isFinite(value) && (value as number) >= 0;

function check(name: string, expected: string, value: unknown, test: (value: unknown) => boolean): void {
  if (!test(value)) throw invalid(name, expected, kindOf(value));
}

function optional(name: string, expected: string, value: unknown, test: (value: unknown) => boolean): void {
  if (value !== undefined) check(name, expected, value, test);
}

function invalid(name: string, expected: string, found: string): MidlineError {
  return new MidlineError({
    code: 'request-invalid',
    message: `${name} must be ${expected}`,
    expected,
    found,
  });
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'number') return `the number ${value}`;
  if (typeof value === 'string') return `"${value.slice(0, 40)}"`;
  return typeof value === 'object' ? value.constructor?.name || 'an object' : typeof value;
}

/** `fields` without those that are undefined: the engine's side treats absent as "default". */
function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
