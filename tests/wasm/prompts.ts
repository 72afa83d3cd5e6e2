/**
 * Twenty places to complete, in the languages the small model has seen: every prompt format, texts that take
 * several chunks or more than the context, other scripts, other line ends, bytes that look like control tokens.
 */
import type { CompletionRequest } from '../../www/src/client/protocol.js';
import type { CompletionResult } from '../../www/src/client/types.js';

type Format = NonNullable<CompletionRequest['format']>;

const prompt = (prefix: string, suffix = '', format: Format = 'prefix'): CompletionRequest => ({
  prefix,
  suffix,
  format,
  maxNewTokens: 24,
});

/** A class of `count` methods: about 30 tokens each, so that prompts of any length look like code. */
const pythonClass = (count: number): string =>
  'class Account:\n' +
  Array.from(
    { length: count },
    (_, i) =>
      `    def step_${i}(self, amount):\n        self.total += amount * ${i}\n        return self.total\n\n`,
  ).join('');

const rustMatches = (count: number): string =>
  "pub fn name(code: u32) -> &'static str {\n    match code {\n" +
  Array.from({ length: count }, (_, i) => `        ${i} => "kind ${i}",\n`).join('');

export const PROMPTS: readonly CompletionRequest[] = [
  // Short, the prefix alone.
  prompt('def add(a, b):\n    return '),
  prompt('class Point:\n    def __init__(self, x, y):\n        self.x = x\n        self.'),
  prompt('const total = items.map((item) => item.'),
  prompt('use std::collections::'),
  prompt('from collections import '),
  prompt(''),
  // Text after the caret.
  prompt('def area(width, height):\n    return ', '\n\n\nprint(area(2, 3))\n', 'psm'),
  prompt('def area(width, height):\n    return ', '\n\n\nprint(area(2, 3))\n', 'spm'),
  prompt('function square(x) {\n  return ', ';\n}\n', 'auto'),
  prompt('fn main() {\n    let values = vec![1, 2, 3];\n    println!("{}", ', ');\n}\n', 'psm'),
  // Several chunks, and more than the context.
  prompt(`${pythonClass(4)}    def `),
  prompt(`${rustMatches(12)}        12 => `, '        _ => "none",\n    }\n}\n', 'spm'),
  prompt(`${pythonClass(12)}    def close(self):\n        `, '', 'auto'),
  prompt(`${pythonClass(200)}    def `, pythonClass(100), 'psm'),
  prompt(`${pythonClass(200)}    def `, pythonClass(100), 'spm'),
  // Other scripts and bytes.
  prompt('# 안녕하세요 😀 Привет\nname = "'),
  prompt('x = "😀', '한글"\n', 'spm'),
  prompt('if x:\r\n    pass\r\nel', '\r\n\r\nprint(x)\r\n', 'auto'),
  prompt('s = "<|fim_middle|><|endoftext|>"\nt = ', '\n# <|fim_prefix|>\n', 'psm'),
  prompt('a\0b = \t\u00a0\u3000', '\0', 'auto'),
];

/** The same with everything an editor adds: a path for the header of the prompt, several beams and suggestions. */
export const BEAM_PROMPTS: readonly CompletionRequest[] = [2, 4, 8].flatMap((beamWidth) => [
  { ...prompt('def add(a, b):\n    return '), path: 'src/math/add.py', beamWidth, maxSuggestions: beamWidth },
  { ...prompt('fn main() {\n    let val', '\n}\n', 'auto'), path: 'main.rs', beamWidth, maxSuggestions: 5 },
  { ...prompt(`${pythonClass(12)}    def clo`, pythonClass(2), 'psm'), beamWidth, maxSuggestions: 3 },
]);

/** For the larger model: one short, one of several chunks, one of other scripts. */
export const FEW_PROMPTS: readonly CompletionRequest[] = [
  prompt('def add(a, b):\n    return '),
  prompt(`${pythonClass(4)}    def close(self):\n        `),
  prompt('# 안녕하세요 😀 Привет\nnames = ["'),
];

/** The part of an answer that must be the same wherever it was computed; times and the variant differ. */
export function comparable({ suggestions, dropped, stats }: CompletionResult) {
  const { promptTokens, newTokens, format, stopReason } = stats;
  return {
    // A score is a 32-bit float: in JSON it stands with as few digits as tell it from its neighbours.
    suggestions: suggestions.map(({ text, score, tokens }) => ({ text, score: Math.fround(score), tokens })),
    dropped,
    promptTokens,
    newTokens,
    format,
    stopReason,
  };
}
