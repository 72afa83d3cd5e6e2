/** The rules an insertion must keep so that Monaco shows it. Reading the document is tested in the browser. */
import { describe, expect, it } from 'vitest';
import { insertion, type Around } from '../src/monaco/document.js';

const range = { startLineNumber: 3, startColumn: 5, endLineNumber: 3, endColumn: 5 };
const around = (fields: Partial<Around> = {}): Around => ({
  prefix: '',
  suffix: '',
  range,
  lead: '',
  midLine: false,
  ...fields,
});

describe('an insertion', () => {
  it('is the text, at the caret', () => {
    expect(insertion(around(), 'a + b', '\n')).toEqual({ insertText: 'a + b', range });
  });

  it.each(['a\nb\nc', 'a\r\nb\r\nc'])('takes the line ends of the document (%j)', (text) => {
    expect(insertion(around(), text, '\r\n')?.insertText).toBe('a\r\nb\r\nc');
  });

  it('keeps to its first line before other text', () => {
    expect(insertion(around({ midLine: true }), 'a\nb', '\n')?.insertText).toBe('a');
  });

  it.each(['', '\nnext line'])('is nothing when nothing is left (%j)', (text) => {
    expect(insertion(around({ midLine: true }), text, '\n')).toBeUndefined();
  });

  it('continues the item selected in the suggest widget', () => {
    expect(insertion(around({ lead: 'append' }), '(item)', '\n')?.insertText).toBe('append(item)');
  });
});
