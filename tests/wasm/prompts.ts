/** Twenty places to complete, in the languages the small model has seen, with and without text after the caret. */
import type { CompletionRequest } from '../../www/src/client/protocol.js';

const prompt = (
  prefix: string,
  suffix = '',
  format: CompletionRequest['format'] = 'prefix',
): CompletionRequest => ({
  prefix,
  suffix,
  format,
  maxNewTokens: 24,
});

export const PROMPTS: readonly CompletionRequest[] = [
  prompt('def add(a, b):\n    return '),
  prompt('import os\nimport sys\n\n\ndef main():\n    for name in os.listdir('),
  prompt('class Point:\n    def __init__(self, x, y):\n        self.x = x\n        self.'),
  prompt('def read(path):\n    with open(path, "r") as '),
  prompt('numbers = [1, 2, 3]\ntotal = sum(number for number in num'),
  prompt('try:\n    import json\nexcept ImportError'),
  prompt('\n'),
  prompt('from collections import '),
  prompt('# 안녕하세요 😀\nname = "'),
  prompt('if x:\r\n    pass\r\nel'),
  prompt('const total = items.map((item) => item.'),
  prompt('export function clamp(value, low, high) {\n  return Math.'),
  prompt('module.exports = {\n  entry: "./src/index.js",\n  '),
  prompt('export interface Options {\n  name: string;\n  count: '),
  prompt('use std::collections::'),
  prompt('impl Default for Config {\n    fn default() -> Self {\n        '),
  prompt('fn main() {\n    let mut values = Vec::new();\n    values.'),
  prompt('def area(width, height):\n    return ', '\n\n\nprint(area(2, 3))\n', 'psm'),
  prompt('def area(width, height):\n    return ', '\n\n\nprint(area(2, 3))\n', 'spm'),
  prompt('function square(x) {\n  return ', ';\n}\n', 'spm'),
];

/** The part of an answer that must be the same wherever it was computed; times and the variant differ. */
export function comparable(result: import('../../www/src/client/types.js').CompletionResult) {
  const { suggestions, dropped, stats } = result;
  const { promptTokens, newTokens, format, stopReason } = stats;
  return { suggestions, dropped, promptTokens, newTokens, format, stopReason };
}
