/** The rules an insertion must keep so that Monaco shows it. */
import type * as Monaco from 'monaco-editor';
import { describe, expect, it } from 'vitest';
import { continues, insertion, readingAt } from '../src/monaco/document.js';
import type { MonacoApi } from '../src/monaco/index.js';
import { FakeModel } from './support/fake-monaco.js';

const monaco = { editor: { EndOfLinePreference: { LF: 1 } } } as unknown as MonacoApi;

/** A document with the caret at `|`; what is between `<` and `|` is typed of the suggestion, up to `>` closed by the editor. */
function at(document: string, text: string, eol = '\n') {
  const plain = document.replace(/[<>|]/g, '');
  const model = new FakeModel(plain, eol) as unknown as Monaco.editor.ITextModel;
  const anchor = document.indexOf('<');
  const caret = document.indexOf('|') - 1;
  const end = document.indexOf('>') - 2;
  const offered = { anchor, typed: plain.slice(anchor, caret), tail: plain.slice(caret, end) };
  const made = insertion(model, offered, text);
  if (!made) return undefined;
  const { startLineNumber, startColumn, endLineNumber, endColumn } = made.range;
  expect(endLineNumber).toBe(startLineNumber);
  return [made.insertText, startLineNumber, startColumn, endColumn];
}

describe('an insertion', () => {
  it.each([
    ['x = <|>', 'a + b', ['a + b', 1, 5, 5]],
    ['x = <a|>', 'a + b', ['a + b', 1, 5, 6]],
    ['f<(|)>', '(a, [b]):', ['(a, [b]):', 1, 2, 4]],
    ['f<(|)>', '(a', ['(a', 1, 2, 3]],
    ['<|>', 'a\nb', ['a\nb', 1, 1, 1]],
    ['<a:\n  b|>', 'a:\n  bc\nd', ['  bc\nd', 2, 1, 4]],
    ['(<|>)', 'a\nb', ['a', 1, 2, 2]],
    ['(<f(|)>;', 'f(a)\nb', ['f(a)', 1, 2, 5]],
  ])('%j and %j', (document, text, expected) => {
    expect(at(document, text)).toEqual(expected);
  });

  it.each([
    ['(<|>)', '\nb'],
    ['(<a|>)', 'a\nb'],
  ])('is nothing when nothing is left (%j and %j)', (document, text) => {
    expect(at(document, text)).toBeUndefined();
  });

  it('counts CRLF as Monaco does', () => {
    expect(at('a\r\n<b|>', 'bc\r\nd', '\r\n')).toEqual(['bc\r\nd', 2, 1, 2]);
  });
});

describe('a reading', () => {
  const reading = (
    text: string,
    offset: number,
    eol = '\n',
    lead?: { text: string; range: Monaco.IRange },
  ) => {
    const model = new FakeModel(text, eol);
    return readingAt(monaco, model as unknown as Monaco.editor.ITextModel, model.getPositionAt(offset), lead);
  };

  it('has line feeds only, and knows the line ends', () => {
    expect(reading('a\r\nb\r\nc', 4, '\r\n')).toMatchObject({
      prefix: 'a\nb',
      suffix: '\nc',
      eol: '\r\n',
      midLine: false,
    });
  });

  it('continues the item selected in the suggest widget', () => {
    const range = { startLineNumber: 1, startColumn: 3, endLineNumber: 1, endColumn: 5 };
    const lead = { text: 'append', range };
    const model = new FakeModel('x.ap;') as unknown as Monaco.editor.ITextModel;
    expect(reading('x.ap;', 4, '\n', lead)).toMatchObject({
      prefix: 'x.append',
      suffix: ';',
      midLine: true,
    });
    expect(continues(model, lead)).toBe(true);
    expect(continues(model, { ...lead, text: 'pop' })).toBe(false);
  });

  it('of a huge line is bounded', () => {
    const { prefix, suffix } = reading('x'.repeat(1_000_000), 500_000);
    expect(prefix.length).toBeGreaterThan(131_000);
    expect(prefix.length).toBeLessThan(148_000);
    expect(suffix.length).toBe(32_768);
  });
});
