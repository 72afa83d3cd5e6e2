#!/usr/bin/env node
/**
 * Makes the typing trace, typing.json, from the documents and edits beside it: `node benches/trace/make.mjs`.
 *
 * An editor is imitated: brackets and quotes close by themselves and are typed over, Enter keeps the indentation and
 * opens a pair of brackets, a backspace inside an empty pair removes both.
 *
 * The rhythm is a seeded draw, so that the file can be made again. Typists of Dhakal et al., "Observations on Typing
 * from 136 Million Keystrokes" (CHI 2018), take 240 ms from key to key on average, fast ones 120 ms. Here the
 * median is 150 ms inside a word and more at its start, at signs and after a line; the logarithm is normally
 * distributed (sigma 0.35). A key held down repeats after 33 ms (the third backspace of a row and on).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { random } from '../lib/stats.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const PAIRS = { '(': ')', '[': ']', '{': '}', '"': '"', "'": "'" };
const MEDIAN_MS = { letter: 150, wordStart: 190, sign: 220, line: 420, backspace: 170, repeat: 33, arrow: 160, click: 900 };
const SIGMA = 0.35;

/** A document, a caret and the keys so far: `[atMs, caret before, removed, inserted, caret after]`, see typing.json. */
class Editor {
  keys = [];
  #atMs = 0;
  #caret = 0;

  constructor(text, language, uniform) {
    Object.assign(this, { text, language, uniform });
  }

  pause(ms) {
    this.#atMs += ms;
  }

  /** The log-normal distribution by Box and Muller. */
  #wait(kind) {
    const normal = Math.sqrt(-2 * Math.log(1 - this.uniform())) * Math.cos(2 * Math.PI * this.uniform());
    this.#atMs += MEDIAN_MS[kind] * (kind === 'repeat' ? 1 : Math.exp(SIGMA * normal));
  }

  #key(kind, from, remove, insert, caret) {
    this.#wait(kind);
    this.text = this.text.slice(0, from) + insert + this.text.slice(from + remove);
    this.#caret = caret;
    this.keys.push([Math.round(this.#atMs), from, remove, insert, caret]);
  }

  click(after) {
    const found = this.text.indexOf(after);
    if (found < 0 || this.text.indexOf(after, found + 1) >= 0) throw new Error(`not there once: ${after}`);
    this.#key('click', found + after.length, 0, '', found + after.length);
  }

  arrow(name, times) {
    for (let i = 0; i < times; i++) {
      const caret = this.#caret + (name === 'Left' ? -1 : 1);
      this.#key('arrow', caret, 0, '', caret);
    }
  }

  back(times) {
    for (let i = 0; i < times; i++) {
      const [before, after] = [this.text[this.#caret - 1], this.text[this.#caret]];
      const remove = PAIRS[before] === after && after !== undefined ? 2 : 1;
      this.#key(i < 2 ? 'backspace' : 'repeat', this.#caret - 1, remove, '', this.#caret - 1);
    }
  }

  type(text) {
    // The indentation of a line comes with its Enter.
    for (const [key] of text.matchAll(/\n *|[^]/g)) this.#type(key);
  }

  #type(key) {
    const [at, before, after] = [this.#caret, this.text[this.#caret - 1] ?? '\n', this.text[this.#caret] ?? '\n'];
    if (key[0] === '\n') {
      const outer = /[^\n]*$/.exec(this.text.slice(0, at))[0].match(/^ */)[0];
      const opened = before === '{' && after === '}' ? `\n${outer}` : '';
      this.#key('line', at, 0, key + opened, at + key.length);
    } else if (key === after && Object.values(PAIRS).includes(key)) {
      this.#key('sign', at, 1, key, at + 1);
    } else {
      const kind = !/^\w/.test(key) ? 'sign' : /\w/.test(before) ? 'letter' : 'wordStart';
      this.#key(kind, at, 0, key + (this.#closes(key, before, after) ? PAIRS[key] : ''), at + key.length);
    }
  }

  #closes(key, before, after) {
    if (!(key in PAIRS) || !/[\s)\]},;]/.test(after)) return false;
    if (key === "'" && this.language === 'rust') return false; // lifetimes
    return PAIRS[key] !== key || !/\w/.test(before);
  }
}

/** The trace: for each language the document at the start, the keys, and the document at the end. */
export function makeTrace() {
  const sessions = JSON.parse(readFileSync(join(HERE, 'sessions.json'), 'utf8'));
  return sessions.map(({ language, path, document, steps }, index) => {
    const start = readFileSync(join(HERE, document), 'utf8');
    const editor = new Editor(start, language, random(index + 1));
    for (const step of steps) {
      if (step.pause) editor.pause(step.pause);
      if (step.click) editor.click(step.click);
      if (step.arrow) editor.arrow(step.arrow, step.times);
      if (step.back) editor.back(step.back);
      if (step.type) editor.type(step.type);
    }
    return { language, path, start, keys: editor.keys, end: editor.text };
  });
}

/** One key a line, so that a change of the trace can be read. */
export function printTrace(trace) {
  const sessions = trace.map(({ keys, ...rest }) => {
    const head = JSON.stringify(rest).slice(0, -1);
    return `${head},"keys":[\n${keys.map((key) => JSON.stringify(key)).join(',\n')}\n]}`;
  });
  return `[${sessions.join(',\n')}]\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(join(HERE, 'typing.json'), printTrace(makeTrace()));
}
