/** What is sent of a long document. */
import { describe, expect, it } from 'vitest';
import {
  LINE_SEARCH_CHARS,
  MAX_PREFIX_CHARS,
  MAX_SUFFIX_CHARS,
  PREFIX_STEP_CHARS,
  trimPrefix,
  trimSuffix,
} from '../src/client/window.js';

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

describe('the prefix', () => {
  it('is left alone up to the limit', () => {
    const text = 'x'.repeat(MAX_PREFIX_CHARS);
    expect(trimPrefix(text)).toBe(text);
    expect(trimPrefix('')).toBe('');
  });

  it('keeps its end when it is too long', () => {
    const text = 'a'.repeat(5_000_000) + 'the caret is here';
    const kept = trimPrefix(text);
    expect(kept.length).toBeGreaterThan(MAX_PREFIX_CHARS - PREFIX_STEP_CHARS);
    expect(kept.length).toBeLessThanOrEqual(MAX_PREFIX_CHARS);
    expect(text.endsWith(kept)).toBe(true);
  });

  it('begins at the same place while the text grows', () => {
    const text = 'some line of code\n'.repeat(20_000);
    const starts = new Set<number>();
    for (let end = 200_000; end < 200_000 + PREFIX_STEP_CHARS; end += 7) {
      starts.add(end - trimPrefix(text.slice(0, end)).length);
    }
    expect(starts.size).toBeLessThanOrEqual(2);
  });

  it('starts at a line when one is near', () => {
    const lines = 'some line of code\n'.repeat(20_000);
    const kept = trimPrefix(lines);
    expect(kept.startsWith('some line')).toBe(true);
    expect(kept.length).toBeGreaterThan(MAX_PREFIX_CHARS - PREFIX_STEP_CHARS - LINE_SEARCH_CHARS);
  });

  it('is not cut short when the limit falls on a line start', () => {
    const line = 'x'.repeat(15) + '\n';
    const text = line.repeat((MAX_PREFIX_CHARS + PREFIX_STEP_CHARS) / 16);
    expect(trimPrefix(text)).toHaveLength(MAX_PREFIX_CHARS);
  });

  it.each([0, 1])('does not part a surrogate pair (shifted by %i)', (shift) => {
    const kept = trimPrefix('😀'.repeat(MAX_PREFIX_CHARS) + 'x'.repeat(shift));
    expect(kept).not.toMatch(LONE_SURROGATE);
    expect(kept.length).toBeGreaterThan(MAX_PREFIX_CHARS - PREFIX_STEP_CHARS);
  });

  it('passes lone surrogates and NUL through', () => {
    const text = 'x'.repeat(MAX_PREFIX_CHARS) + '\ud800\0\udfff\ud800';
    expect(trimPrefix(text).endsWith('\ud800\0\udfff\ud800')).toBe(true);
  });
});

describe('the suffix', () => {
  it('keeps its start, up to a line end when one is near', () => {
    const lines = 'some line of code\n'.repeat(20_000);
    const kept = trimSuffix(lines);
    expect(lines.startsWith(kept)).toBe(true);
    expect(kept.endsWith('\n')).toBe(true);
    expect(kept.length).toBeGreaterThan(MAX_SUFFIX_CHARS - LINE_SEARCH_CHARS);
    expect(kept.length).toBeLessThanOrEqual(MAX_SUFFIX_CHARS);
  });

  it.each([0, 1])('does not part a surrogate pair (shifted by %i)', (shift) => {
    const kept = trimSuffix('x'.repeat(shift) + '한😀'.repeat(MAX_SUFFIX_CHARS));
    expect(kept).not.toMatch(LONE_SURROGATE);
    expect(kept.length).toBeGreaterThanOrEqual(MAX_SUFFIX_CHARS - 1);
  });
});
