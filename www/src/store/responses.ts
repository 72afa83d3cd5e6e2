/**
 * What a server's answer is worth: pure logic. Servers ignore ranges, lie about them, have another file by now; a page
 * of another origin sees only some of the headers.
 */
import type { ErrorFields } from '../client/errors.js';
import type { Range } from './chunks.js';
import type { Validators } from './records.js';
import type { Restart } from './types.js';

/** What was asked for, and what is known. */
export interface Question {
  readonly url: string;
  /** `undefined`: the whole file. */
  readonly range: Range | undefined;
  readonly totalBytes: number | null;
  readonly validators: Validators;
}

export type Verdict =
  /** The body is bytes of the file from `start` on, up to `end` (excluded). */
  | {
      readonly kind: 'bytes';
      readonly start: number;
      readonly end: number | null;
      readonly totalBytes: number | null;
      readonly validators: Validators;
      /** The body is the whole file although a part was asked for: what is held is of no use. */
      readonly restart?: Restart;
    }
  /** The body is of no use, and neither is what is held. */
  | { readonly kind: 'restart'; readonly restart: Restart }
  | { readonly kind: 'failed'; readonly error: ErrorFields; readonly again: boolean };

interface Answer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Pick<Headers, 'get'>;
}

/** Statuses after which another attempt may succeed; all above 500 are too. */
const PASSING = [408, 425, 429];

export function judge(question: Question, { status, statusText, headers }: Answer): Verdict {
  const { range, url } = question;
  const validators = validatorsOf(headers);
  const changed = differs(validators, question.validators);
  if (status === 200) {
    const totalBytes = declaredLength(headers);
    const whole = { kind: 'bytes', start: 0, end: totalBytes, totalBytes, validators } as const;
    return range ? { ...whole, restart: changed ? 'changed' : 'no-ranges' } : whole;
  }
  if (status === 206 && range) return part(question, range, headers, changed, validators);
  if (status === 416 && range) return { kind: 'restart', restart: 'changed' };
  return {
    kind: 'failed',
    again: status >= 500 || PASSING.includes(status),
    error: {
      code: 'http-status',
      message: `The server did not give the model: ${url}`,
      expected: 'status 200',
      found: `status ${status} ${statusText}`.trimEnd(),
    },
  };
}

function part(
  { totalBytes }: Question,
  { start, end }: Range,
  headers: Answer['headers'],
  changed: boolean,
  validators: Validators,
): Verdict {
  if (changed) return { kind: 'restart', restart: 'changed' };
  if ((headers.get('content-encoding') ?? 'identity') !== 'identity')
    return { kind: 'restart', restart: 'no-ranges' };
  const given = headers.get('content-range');
  // A server of another origin need not let the page see the header; the hash of the file has the last word then.
  if (given === null) return { kind: 'bytes', start, end: end ?? totalBytes, totalBytes, validators };
  const match = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(given.trim());
  const [first, last] = [Number(match?.[1]), Number(match?.[2])];
  if (!match || first !== start || last < first || (end !== null && last >= end))
    return { kind: 'restart', restart: 'no-ranges' };
  const total = match[3] === '*' ? totalBytes : Number(match[3]);
  if (totalBytes !== null && total !== totalBytes) return { kind: 'restart', restart: 'changed' };
  return { kind: 'bytes', start, end: last + 1, totalBytes: total, validators };
}

/** The length of the file, or `null`: with compression the header counts other bytes. */
function declaredLength(headers: Answer['headers']): number | null {
  const text = headers.get('content-length');
  const encoding = headers.get('content-encoding') ?? 'identity';
  return text !== null && /^\d{1,15}$/.test(text) && encoding === 'identity' ? Number(text) : null;
}

function validatorsOf(headers: Answer['headers']): Validators {
  const etag = headers.get('etag');
  const lastModified = headers.get('last-modified');
  return { ...(etag !== null && { etag }), ...(lastModified !== null && { lastModified }) };
}

/** Whether one of two versions that both sides name differs; a tag says more than a date. */
function differs(now: Validators, before: Validators): boolean {
  if (now.etag !== undefined && before.etag !== undefined) return now.etag !== before.etag;
  if (now.lastModified === undefined || before.lastModified === undefined) return false;
  return now.lastModified !== before.lastModified;
}

/** The headers that ask for `range`. */
export function rangeHeaders(
  { range, validators, totalBytes }: Question,
  sameOrigin: boolean,
): Record<string, string> {
  if (!range) return {};
  const last = range.end === null || range.end === totalBytes ? '' : String(range.end - 1);
  const { etag, lastModified } = validators;
  const version = etag?.startsWith('"') ? etag : etag === undefined ? lastModified : undefined;
  return {
    range: `bytes=${range.start}-${last}`,
    // To another origin it would take a preflight, which file servers refuse; there the answer's headers are compared.
    ...(sameOrigin && version !== undefined && { 'if-range': version }),
  };
}
