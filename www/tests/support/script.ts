/**
 * Scripts for the session: one action a line, and what is to be seen after it.
 *
 *     type b     -> foob[ar]|baz
 *
 * stands for: the user types `b`; then `foob` is before the caret, `ar` is suggested
 * at it, `baz` is behind it. `[` and `]` hold suggested text, `|` is the caret, `…` a
 * request without an answer, `⏎` a line break, `·` a space at an end of the line.
 */
import { abortError } from '../../src/client/errors.js';
import type { CompleteOptions, CompletionResult } from '../../src/client/types.js';
import type { Cause, Edit, Effect, Place, View } from '../../src/editor/events.js';
import { Session, settingsFrom, startsWithWord, type EditorOptions } from '../../src/editor/index.js';
import { FakeClock } from './fake-clock.js';
import { resultWith } from './fake-worker.js';

/** A question that the completer was asked. */
export interface Question {
  readonly prefix: string;
  readonly suffix: string;
  readonly options: CompleteOptions;
  answer(result: CompletionResult): void;
  fail(error: unknown): void;
}

/** An editor of one string, with the session under test. */
export class ScriptedEditor {
  readonly clock = new FakeClock();
  readonly questions: Question[] = [];
  readonly effects: Effect[] = [];
  readonly announced: string[] = [];
  readonly session: Session;
  text: string;
  caret: number;
  version = 1;
  open = true;

  constructor(start: string, options: EditorOptions = {}) {
    const plain = unescape(start);
    this.caret = plain.indexOf('|');
    this.text = plain.replace('|', '');
    const complete = (
      prefix: string,
      suffix: string,
      options: CompleteOptions = {},
    ): Promise<CompletionResult> =>
      new Promise((answer, fail) => {
        options.signal?.addEventListener('abort', () => fail(abortError()));
        this.questions.push({ prefix, suffix, options, answer, fail });
      });
    this.session = new Session(
      this.place,
      settingsFrom({ complete }, options),
      {
        read: () => ({
          prefix: this.text.slice(0, this.caret),
          suffix: this.text.slice(this.caret),
          midLine: !/^(\n|$)/.test(this.text.slice(this.caret)),
          eol: '\n',
        }),
        announce: ({ text, index, count }: View) => this.announced.push(`${index + 1}/${count} ${text}`),
        changed: (effects) => this.effects.push(...effects),
      },
      this.clock,
    );
  }

  get place(): Place {
    const { version, caret, open } = this;
    return { version, caret, open, beforeWord: startsWithWord(this.text.slice(caret)) };
  }

  /** Changes the document and puts the caret at `caret`. */
  edit(edit: Edit, caret: number, cause: Cause): void {
    this.text = this.text.slice(0, edit.from) + edit.insert + this.text.slice(edit.to);
    this.caret = caret;
    this.version++;
    this.session.dispatch({ type: 'edited', edits: [edit], cause, place: this.place });
  }

  type(text: string): void {
    for (const key of text)
      this.edit({ from: this.caret, to: this.caret, insert: key }, this.caret + key.length, 'typed');
  }

  move(by: number): void {
    this.caret += by;
    this.session.dispatch({ type: 'moved', place: this.place });
  }

  accept(amount: 'all' | 'word' | 'line'): void {
    const before = this.effects.length;
    this.session.dispatch({ type: 'accepted', amount });
    const insert = this.effects.slice(before).find((effect) => effect.type === 'insert');
    if (insert) this.edit(insert.edit, insert.caret, 'accepted');
  }

  /** Lets the time pass that the session waits for, and answers the newest question. */
  async answer(result: CompletionResult): Promise<void> {
    this.clock.advance(1000);
    this.questions.at(-1)?.answer(result);
    await settled();
  }

  /** What is to be seen, in the notation of the scripts. */
  get seen(): string {
    const ghosts = [...(this.session.view?.ghosts ?? [])];
    let out = '';
    for (let i = 0; i <= this.text.length; i++) {
      for (const { text } of ghosts.filter(({ at }) => at === i)) out += `[${text}]`;
      if (i === this.caret) out += `${this.session.state.waiting ? '…' : ''}|`;
      out += this.text[i] ?? '';
    }
    return escape(out);
  }
}

/** Everything that was promised is done. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 10; i++) await Promise.resolve();
}

/** Runs a script; gives for each line the action and what was seen, to be compared with the script itself. */
export async function play(editor: ScriptedEditor, script: string): Promise<void> {
  const lines = script
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const said: string[] = [];
  for (const line of lines) {
    const [action = '', expected = ''] = line.split(/\s+->\s+/);
    const [word = '', argument = ''] = action.split(/ (.*)/s);
    await act(editor, word, unescape(argument));
    said.push(expected === '' ? action : `${action} -> ${editor.seen}`);
  }
  const asked = lines.map((line) => line.replace(/\s+->\s+/, ' -> '));
  if (said.join('\n') !== asked.join('\n'))
    throw new Error(`expected\n${asked.join('\n')}\n\nbut saw\n${said.join('\n')}`);
}

async function act(editor: ScriptedEditor, word: string, argument: string): Promise<void> {
  const { session } = editor;
  const { caret } = editor;
  switch (word) {
    case 'type':
      return editor.type(argument);
    case 'back':
      return editor.edit({ from: caret - 1, to: caret, insert: '' }, caret - 1, 'deleted');
    case 'close': // an editor that closes brackets
      return editor.edit({ from: caret, to: caret, insert: argument }, caret + 1, 'typed');
    case 'over': // and lets them be typed over
      return editor.edit({ from: caret, to: caret + 1, insert: argument }, caret + 1, 'typed');
    case 'delete-forward':
      return editor.edit({ from: caret, to: caret + 1, insert: '' }, caret, 'deleted');
    case 'at-start': // somebody else types
      return editor.edit({ from: 0, to: 0, insert: argument }, caret + argument.length, 'other');
    case 'at-end': {
      const { length } = editor.text;
      return editor.edit({ from: length, to: length, insert: argument }, caret, 'other');
    }
    case 'move':
      return editor.move(Number(argument));
    case 'accept':
      return editor.accept(argument as 'all' | 'word' | 'line');
    case 'next':
      return session.dispatch({ type: 'cycled', by: 1 });
    case 'previous':
      return session.dispatch({ type: 'cycled', by: -1 });
    case 'dismiss':
      return session.dispatch({ type: 'dismissed' });
    case 'trigger':
      return session.dispatch({ type: 'triggered', place: editor.place });
    case 'blur':
      return session.dispatch({ type: 'blurred' });
    case 'popup':
      return session.dispatch({ type: 'popup', open: argument === 'open' });
    case 'compose':
      return session.dispatch({
        type: 'composition',
        active: argument === 'start',
        place: editor.place,
      });
    case 'replace':
      editor.text = argument;
      editor.caret = argument.length;
      editor.version++;
      return session.dispatch({ type: 'replaced', place: editor.place });
    case 'wait':
      editor.clock.advance(Number(argument));
      return settled();
    case 'answer':
      return editor.answer(
        argument === ''
          ? { ...resultWith(''), suggestions: [] }
          : {
              ...resultWith(''),
              suggestions: argument.split(' / ').map((text) => ({ text, score: -1, tokens: 1 })),
            },
      );
    case 'fail':
      editor.clock.advance(1000);
      editor.questions.at(-1)?.fail(new Error(argument));
      return settled();
    default:
      throw new Error(`no such action: ${word}`);
  }
}

const escape = (text: string): string =>
  text.replaceAll('\n', '⏎').replace(/^ +| +$/g, (spaces) => '·'.repeat(spaces.length));
const unescape = (text: string): string => text.replaceAll('⏎', '\n').replaceAll('·', ' ');
