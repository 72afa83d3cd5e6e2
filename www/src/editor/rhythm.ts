/**
 * How long to wait after a key before the completer is asked. Where answers come
 * between two keys anyway, hardly at all. Where they do not, the next key would
 * make the answer worthless: it is better to see first whether it comes.
 */

/** Shortest wait: events of one key press must have settled, and a burst of keys asks once. */
export const MIN_WAIT_MS = 40;
/** Longest wait: somebody who types slowly is not to wait longer for that. */
export const MAX_WAIT_MS = 250;
/** A longer time between keys is a pause, and says nothing about the rhythm. */
export const PAUSE_MS = 1000;
/** Weight of the newest measurement. */
const WEIGHT = 0.2;

export interface Rhythm {
  /** When the last key came, in milliseconds of any clock. */
  readonly lastKey: number | undefined;
  /** Mean time between keys. */
  readonly keyMs: number | undefined;
  /** Mean time from the question to the answer. */
  readonly answerMs: number | undefined;
}

export const UNKNOWN: Rhythm = { lastKey: undefined, keyMs: undefined, answerMs: undefined };

/** The rhythm after a key at `now`. */
export function withKey(rhythm: Rhythm, now: number): Rhythm {
  const { lastKey, keyMs } = rhythm;
  const gap = lastKey === undefined ? Infinity : now - lastKey;
  return { ...rhythm, lastKey: now, keyMs: gap >= 0 && gap < PAUSE_MS ? mean(keyMs, gap) : keyMs };
}

/** The rhythm after an answer that took `ms`. */
export function withAnswer(rhythm: Rhythm, ms: number): Rhythm {
  return { ...rhythm, answerMs: mean(rhythm.answerMs, ms) };
}

/**
 * Milliseconds to wait. If an answer takes longer than the usual time between
 * keys, a little more than that time, so that the next key is seen; but never
 * longer than an answer takes, so that waiting at most doubles it.
 */
export function waitMs({ keyMs, answerMs }: Rhythm): number {
  if (keyMs === undefined || answerMs === undefined || answerMs < keyMs) return MIN_WAIT_MS;
  return Math.min(Math.max(MIN_WAIT_MS, Math.min(1.2 * keyMs, answerMs)), MAX_WAIT_MS);
}

const mean = (before: number | undefined, now: number): number =>
  before === undefined ? now : before + WEIGHT * (now - before);
