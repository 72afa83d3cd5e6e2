/** The typing trace of the benchmark: made by its script, and a whole that an editor could have produced. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

type Key = [atMs: number, from: number, remove: number, insert: string, caret: number];
interface Session {
  language: string;
  start: string;
  keys: Key[];
  end: string;
}

const folder = new URL('../../benches/trace/', import.meta.url);
const recorded = readFileSync(new URL('typing.json', folder), 'utf8');
const sessions = JSON.parse(recorded) as Session[];

describe('the typing trace', () => {
  it('is what its script makes', async () => {
    const { makeTrace, printTrace } = (await import(new URL('make.mjs', folder).href)) as {
      makeTrace(): Session[];
      printTrace(trace: Session[]): string;
    };
    expect(printTrace(makeTrace())).toBe(recorded);
  });

  it('has at least 300 keys in three languages, with backspaces and caret moves', () => {
    const keys = sessions.flatMap((session) => session.keys);
    expect(sessions.map(({ language }) => language)).toEqual(['python', 'javascript', 'rust']);
    expect(keys.length).toBeGreaterThanOrEqual(300);
    expect(keys.filter(([, , remove, insert]) => remove > 0 && insert === '').length).toBeGreaterThan(10);
    expect(keys.filter(([, , remove, insert]) => remove === 0 && insert === '').length).toBeGreaterThan(10);
  });

  it.each(sessions)(
    '$language: time goes on and the keys lead to the text at the end',
    ({ start, keys, end }) => {
      let text = start;
      let lastMs = -1;
      for (const [atMs, from, remove, insert, caret] of keys) {
        expect(atMs).toBeGreaterThan(lastMs);
        expect(from + remove).toBeLessThanOrEqual(text.length);
        text = text.slice(0, from) + insert + text.slice(from + remove);
        expect(caret).toBeLessThanOrEqual(text.length);
        lastMs = atMs;
      }
      expect(text).toBe(end);
    },
  );
});
