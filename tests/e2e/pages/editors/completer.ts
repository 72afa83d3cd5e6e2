/** A completer that says what a test wrote down, when the test wants it. */
import type { CompleteOptions, CompletionResult } from 'midline';

export interface Asked {
  readonly prefix: string;
  readonly suffix: string;
  readonly maxSuggestions: number | undefined;
  readonly languageId: string | undefined;
  readonly path: string | undefined;
  aborted: boolean;
}

export class Scripted {
  readonly asked: Asked[] = [];
  /** After a text that ends in the key: these. */
  answers: Record<string, readonly string[]> = {};
  delayMs = 0;
  /** Instead of answering. */
  behaviour: 'answer' | 'reject' | 'hang' | 'ignore-abort' = 'answer';

  reset(answers: Record<string, readonly string[]> = {}): void {
    this.asked.length = 0;
    this.answers = answers;
    this.delayMs = 0;
    this.behaviour = 'answer';
  }

  async complete(prefix: string, suffix: string, options: CompleteOptions = {}): Promise<CompletionResult> {
    const { maxSuggestions, languageId, path, signal } = options;
    const asked: Asked = { prefix, suffix, maxSuggestions, languageId, path, aborted: false };
    this.asked.push(asked);
    const { behaviour } = this;
    const key = Object.keys(this.answers)
      .filter((end) => prefix.endsWith(end))
      .sort((a, b) => b.length - a.length)[0];
    const texts = key === undefined ? [] : (this.answers[key] ?? []);
    await new Promise<void>((resolve, reject) => {
      if (behaviour !== 'hang') setTimeout(resolve, this.delayMs);
      signal?.addEventListener('abort', () => {
        asked.aborted = true;
        if (behaviour !== 'ignore-abort') reject(new DOMException('aborted', 'AbortError'));
      });
    });
    if (behaviour === 'reject') throw new Error('the scripted failure');
    const suggestions = texts.slice(0, maxSuggestions ?? 1).map((text) => ({ text, score: -1, tokens: 1 }));
    const stats = {
      promptTokens: 1,
      reusedTokens: 0,
      newTokens: 1,
      prefillMs: 1,
      decodeMs: 1,
      variant: 'scripted',
      threads: 1,
      model: 'scripted',
    };
    return { suggestions, dropped: [], stats } as unknown as CompletionResult;
  }
}
