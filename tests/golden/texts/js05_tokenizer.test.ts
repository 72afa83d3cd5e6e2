import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readFile } from 'node:fs/promises';
import { evaluate, parse, tokenize, ParseError } from '../src/expression';

describe('tokenize', () => {
  it('splits numbers, names and operators', () => {
    const kinds = tokenize('2.5 * (width + π)').map((t) => t.kind);
    assert.deepEqual(kinds, ['number', 'op', 'open', 'name', 'op', 'name', 'close']);
  });

  it('reports the column of an unknown character', () => {
    assert.throws(
      () => tokenize('a # b'),
      (error: unknown) => error instanceof ParseError && error.column === 2,
    );
  });
});

describe('evaluate', () => {
  const cases: Array<[string, number]> = [
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['2 ^ 3 ^ 2', 512],
    ['-2 ^ 2', -4],
    ['10 / 4 - 0.5', 2],
  ];
  for (const [source, expected] of cases) {
    it(`${source} = ${expected}`, () => {
      assert.equal(evaluate(parse(tokenize(source)), {}), expected);
    });
  }

  it('looks names up in the scope', () => {
    const scope = { x: 3, y: 4 };
    assert.equal(evaluate(parse(tokenize('sqrt(x*x + y*y)')), scope), 5);
  });

  it('agrees with the recorded results', async () => {
    const lines = (await readFile(new URL('./golden.txt', import.meta.url), 'utf8')).trim().split('\n');
    for (const line of lines) {
      const [source, result] = line.split('\t');
