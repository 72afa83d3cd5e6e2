/** What holds for every sequence of events: the document changes only by edits, and what is shown fits it. */
import { describe, expect, it } from 'vitest';
import { accepted } from '../src/editor/amounts.js';
import { showable, startsWithWord } from '../src/editor/rules.js';
import { ScriptedEditor, settled } from './support/script.js';
import { resultWith } from './support/fake-worker.js';

/** A small generator with a seed, so that a failure can be repeated. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    return (state >> 8) % below;
  };
}

const TEXTS = ['abc', '(a)', 'a\nb', '"x"', '😀', 'a.b(c, 1)', '  x'];

async function randomSession(seed: number): Promise<void> {
  const below = random(seed);
  const editor = new ScriptedEditor(['|', 'a|b', 'f(|)', 'x\n|\ny', '|;'][below(5)] as string, {
    onEvent: () => undefined,
  });
  const pick = () => TEXTS[below(TEXTS.length)] as string;
  for (let i = 0; i < 60; i++) {
    const { session, caret, text } = editor;
    const before = editor.text;
    let edits = false;
    switch (below(14)) {
      case 0: {
        editor.type(pick()[0] as string);
        edits = true;
        break;
      }
      case 1: {
        const next = session.view?.text[0];
        if (next !== undefined) editor.type(next);
        edits = true;
        break;
      }
      case 2:
        if (caret > 0) editor.edit({ from: caret - 1, to: caret, insert: '' }, caret - 1, 'deleted');
        edits = true;
        break;
      case 3:
        editor.edit({ from: caret, to: caret, insert: '()' }, caret + 1, 'typed');
        edits = true;
        break;
      case 4: {
        const from = below(text.length + 1);
        const insert = pick();
        editor.edit({ from, to: from, insert }, caret + (from <= caret ? insert.length : 0), 'other');
        edits = true;
        break;
      }
      case 5: {
        const { view } = session;
        editor.accept((['all', 'word', 'line'] as const)[below(3)] as 'all');
        if (view) expect(editor.caret).toBeGreaterThan(caret);
        edits = true;
        break;
      }
      case 6:
        session.dispatch({ type: 'cycled', by: below(2) ? 1 : -1 });
        break;
      case 7:
        session.dispatch({ type: 'popup', open: below(2) === 0 });
        break;
      case 8:
        session.dispatch({ type: 'composition', active: below(3) === 0, place: editor.place });
        break;
      case 9:
        editor.move(Math.max(-caret, Math.min(text.length - caret, below(3) - 1)));
        break;
      case 10:
        session.dispatch(below(2) ? { type: 'dismissed' } : { type: 'triggered', place: editor.place });
        break;
      default:
        await editor.answer({
          ...resultWith(''),
          suggestions: [pick(), pick()].map((text) => ({ text, score: -1, tokens: 1 })),
        });
    }
    await settled();
    if (!edits) expect(editor.text).toBe(before);
    const { view, state } = session;
    expect(state.place).toEqual(editor.place);
    if (!view) continue;
    expect(view.text).not.toBe('');
    expect(view.index).toBeGreaterThanOrEqual(0);
    expect(view.index).toBeLessThan(view.count);
    // What is typed of it is in the document, and the ghosts stand at or behind the caret.
    const { typed, anchor, tail } = state.shown as { typed: string; anchor: number; tail: string };
    expect(editor.text.slice(anchor, editor.caret)).toBe(typed);
    expect(editor.text.slice(editor.caret).startsWith(tail)).toBe(true);
    for (const ghost of view.ghosts) expect(ghost.at).toBeGreaterThanOrEqual(editor.caret);
  }
}

describe('any sequence of events', () => {
  it('leaves the document to the user, and shows only what fits it', async () => {
    for (let seed = 1; seed <= 80; seed++) {
      await randomSession(seed).catch((error: unknown) => {
        throw new Error(`seed ${seed}`, { cause: error });
      });
    }
  }, 30_000);
});

describe('an amount', () => {
  it.each([
    ['foo bar', 'foo'],
    [' bar', ' '],
    ['.bar', '.'],
    [' + b', ' '],
    ['+ b', '+ '],
    ['=> {\n  x', '=> '],
    ['\n    x', '\n    '],
    ['1.5)', '1.5'],
    ['-1.5)', '-1.5'],
    ['$el', '$el'],
    ['안녕 x', '안녕'],
    ['😀 x', '😀'],
    ['👩‍🚀é b', '👩‍🚀é'],
    ['e\u0301te\u0301 x', 'e\u0301te\u0301'],
    ['=\u0338 b', '=\u0338'],
    ['+#\ufe0f\u20e3 b', '+#\ufe0f\u20e3'],
    [');', ');'],
    ['', ''],
  ])('of one word of %j is %j', (text, word) => {
    expect(accepted(text, 'word')).toBe(word);
  });

  it.each(['😀😀', 'a😀', '😀a', 'ä̈x'])('never parts a character (%s)', (text) => {
    for (let rest = text; rest !== '';) {
      const word = accepted(rest, 'word');
      expect(word).not.toBe('');
      expect(word).not.toMatch(/\p{Surrogate}/u);
      rest = rest.slice(word.length);
    }
  });
});

describe('rules', () => {
  it.each([
    ['x', true],
    ['_', true],
    ['7', true],
    ['한', true],
    ['𝒳', true],
    ['', false],
    [' x', false],
    [')', false],
    ['\ud83d', false],
  ])('%j begins with a word: %s', (after, expected) => {
    expect(startsWithWord(after)).toBe(expected);
  });

  it('make texts fit the place', () => {
    expect(showable(['a\nb', 'a\nc', '\nd', ''], true, '\n')).toEqual(['a']);
    expect(showable(['a\nb', 'a\r\nb'], false, '\r\n')).toEqual(['a\r\nb']);
  });
});
