/** The life of a suggestion, as scripts: what a person does, and what is to be seen after it. */
import { describe, expect, it } from 'vitest';
import { play, ScriptedEditor } from './support/script.js';

const scripts: Record<string, [start: string, script: string]> = {
  'typing asks, the answer is shown behind the caret': [
    'foo|',
    `type (           -> foo(…|
     answer bar)      -> foo([bar)]|`,
  ],
  'typing what is suggested keeps the rest, without a question': [
    'foo|·+ 1',
    `type .           -> foo.…| + 1
     answer length    -> foo.[length]| + 1
     type l           -> foo.l[ength]| + 1
     type eng         -> foo.leng[th]| + 1
     type th          -> foo.length…| + 1`,
  ],
  'backspace gives it back': [
    '|',
    `type a           -> a…|
     answer bcd       -> a[bcd]|
     type bc          -> abc[d]|
     back             -> ab[cd]|
     back             -> a[bcd]|
     back             -> …|`,
  ],
  'typing something else drops it and asks': [
    '|',
    `type a           -> a…|
     answer bcd       -> a[bcd]|
     type x           -> ax…|`,
  ],
  'where another suggestion agrees with what is typed it takes over': [
    '|',
    `trigger          -> …|
     answer one / two -> [one]|
     type t           -> t[wo]|
     back             -> [two]|
     next             -> [one]|`,
  ],
  'after an accept the next is asked for at once': [
    '|',
    `type a           -> a…|
     answer b⏎c       -> a[b⏎c]|
     accept all       -> ab⏎c…|
     answer d         -> ab⏎c[d]|`,
  ],
  'a speculative question ends when the user types otherwise': [
    '|',
    `type a           -> a…|
     answer b         -> a[b]|
     accept all       -> ab…|
     type z           -> abz…|
     answer !         -> abz[!]|`,
  ],
  'a word at a time, the rest stays': [
    '|;',
    `trigger                  -> …|;
     answer foo.bar(x, 1.5)   -> [foo.bar(x, 1.5)]|;
     accept word              -> foo[.bar(x, 1.5)]|;
     accept word              -> foo.[bar(x, 1.5)]|;
     accept word              -> foo.bar[(x, 1.5)]|;
     accept word              -> foo.bar([x, 1.5)]|;
     accept word              -> foo.bar(x[, 1.5)]|;
     accept word              -> foo.bar(x, [1.5)]|;
     accept word              -> foo.bar(x, 1.5[)]|;
     accept word              -> foo.bar(x, 1.5)…|;`,
  ],
  'a line at a time': [
    '|',
    `trigger          -> …|
     answer a:⏎  b⏎c  -> [a:⏎  b⏎c]|
     accept line      -> a:⏎[  b⏎c]|
     accept line      -> a:⏎  b⏎[c]|
     accept line      -> a:⏎  b⏎c…|`,
  ],
  'dismissed is gone until the next key': [
    '|',
    `type a           -> a…|
     answer bcd       -> a[bcd]|
     dismiss          -> a|
     wait 5000        -> a|
     type b           -> ab…|`,
  ],
  'a caret that moves away takes nothing with it': [
    'ab|',
    `type c           -> abc…|
     answer de        -> abc[de]|
     move -1          -> ab|c
     move 1           -> abc|`,
  ],
  'an answer for a caret that was is not shown': [
    'abc |;',
    `type (           -> abc (…|;
     wait 300         -> abc (…|;
     move -1          -> abc |(;
     answer d         -> abc |(;`,
  ],
  'what was suggested here before is there at once': [
    '|',
    `type a           -> a…|
     answer bcd       -> a[bcd]|
     type x           -> ax…|
     back             -> a[bcd]|
     move -1          -> |a
     move 1           -> a|
     type b           -> ab[cd]|`,
  ],
  'what was dismissed is not': [
    '|',
    `type a           -> a…|
     answer bcd       -> a[bcd]|
     dismiss          -> a|
     type x           -> ax…|
     back             -> a…|`,
  ],
  'a caret in front of a word is not asked about unless by command': [
    '|word',
    `type a           -> a|word
     trigger          -> a…|word
     answer b         -> a[b]|word`,
  ],
  'brackets that the editor closes belong to the suggestion': [
    'foo|',
    `trigger          -> foo…|
     answer (a, [b]): -> foo[(a, [b]):]|
     close ()         -> foo([a, [b]]|)[:]
     type a           -> foo(a[, [b]]|)[:]
     accept all       -> foo(a, [b]):…|`,
  ],
  'they can be typed over': [
    'f|',
    `trigger          -> f…|
     answer (a);      -> f[(a);]|
     close ()         -> f([a]|)[;]
     accept word      -> f(a|)[;]
     over )           -> f(a)[;]|`,
  ],
  'words go over closed brackets': [
    'f|',
    `trigger          -> f…|
     answer (a);      -> f[(a);]|
     close ()         -> f([a]|)[;]
     accept word      -> f(a|)[;]
     accept word      -> f(a);…|`,
  ],
  'a closed quote too': [
    'x = |',
    `trigger          -> x = …|
     answer "a\\"b" + c -> x = ["a\\"b" + c]|
     close ""         -> x = "[a\\"b]|"[ + c]
     accept all       -> x = "a\\"b" + c…|`,
  ],
  'what the editor closed and the suggestion does not contain stays': [
    'f|',
    `trigger          -> f…|
     answer (a        -> f[(a]|
     close ()         -> f([a]|)
     accept all       -> f(a…|)`,
  ],
  'a bracket that is deleted with its pair': [
    'f|',
    `trigger          -> f…|
     answer (a)       -> f[(a)]|
     close ()         -> f([a]|)
     delete-forward   -> f([a)]|
     back             -> f[(a)]|`,
  ],
  'typing in front of text that was there drops it': [
    'f|x',
    `trigger          -> f…|x
     answer (a        -> f[(a]|x
     delete-forward   -> f…|`,
  ],
  'before other text on the line only the first line is offered': [
    'f(|)',
    `type x           -> f(x…|)
     answer , y⏎z     -> f(x[, y]|)
     type 1           -> f(x1…|)
     answer ⏎z        -> f(x1|)`,
  ],
  'a popup hides it, typing goes on under it, and it comes back': [
    '|',
    `type a           -> a…|
     answer bcd       -> a[bcd]|
     popup open       -> a|
     accept all       -> a|
     next             -> a|
     type b           -> ab|
     popup closed     -> ab[cd]|`,
  ],
  'an answer under a popup is shown when it closes': [
    '|',
    `type a           -> a…|
     popup open       -> a…|
     answer b         -> a|
     popup closed     -> a[b]|`,
  ],
  'nothing is shown or asked for while an input method composes': [
    '|',
    `type a           -> a…|
     answer bcd       -> a[bcd]|
     compose start    -> a|
     type 한          -> a한|
     trigger          -> a한|
     compose end      -> a한…|
     answer 글        -> a한[글]|`,
  ],
  'an answer that comes while composing is not shown': [
    '|',
    `type a           -> a…|
     wait 300         -> a…|
     compose start    -> a|
     answer b         -> a|`,
  ],
  'another document under a suggestion': [
    '|',
    `type a           -> a…|
     answer bcd       -> a[bcd]|
     replace other    -> other|
     accept all       -> other|`,
  ],
  'somebody else types elsewhere': [
    'x⏎|⏎y',
    `type a           -> x⏎a…|⏎y
     answer bc        -> x⏎a[bc]|⏎y
     at-start zz      -> zzx⏎a[bc]|⏎y
     type b           -> zzx⏎ab[c]|⏎y
     at-end zz        -> zzx⏎ab[c]|⏎yzz
     accept all       -> zzx⏎abc…|⏎yzz`,
  ],
  'next and previous ask for more first, and go round': [
    '|',
    `type a           -> a…|
     answer b1        -> a[b1]|
     next             -> a[b1]…|
     answer b1 / b2 / b3 -> a[b2]|
     next             -> a[b3]|
     next             -> a[b1]|
     previous         -> a[b3]|
     type b3          -> ab3…|`,
  ],
  'the question for more is dropped when the user types on, the suggestion is not': [
    '|',
    `type a           -> a…|
     answer bc        -> a[bc]|
     previous         -> a[bc]…|
     type b           -> ab[c]|`,
  ],
  'without the focus nothing is shown': [
    '|',
    `type a           -> a…|
     answer bc        -> a[bc]|
     blur             -> a|`,
  ],
  'a failure is silence': [
    '|',
    `type a           -> a…|
     fail broken      -> a|
     type b           -> ab…|
     answer           -> ab|`,
  ],
  'emoji and half of one': [
    '😀|',
    `type 한          -> 😀한…|
     answer 😀글      -> 😀한[😀글]|
     type 😀          -> 😀한😀[글]|
     accept all       -> 😀한😀글…|`,
  ],
};

describe('a script', () => {
  it.each(Object.entries(scripts))('%s', async (_, [start, script]) => {
    await play(new ScriptedEditor(start, { onEvent: () => undefined }), script);
  });

  it('is compared with what is seen', async () => {
    await expect(play(new ScriptedEditor('a|'), 'type b -> ab|')).rejects.toThrow('type b -> ab…|');
  });
});
