/** The status line: what the engine is doing, and why nothing is shown when nothing is. */
import { MidlineError, type CompletionResult, type LoadProgress, type ModelInfo } from 'midline';

export type State = 'loading' | 'ready' | 'thinking' | 'suggestion' | 'nothing' | 'error';

/** Most answers come sooner; then nobody needs to read that they are on the way. */
const THINKING_AFTER_MS = 150;
/** An error stays for as long, whatever answer was on its way meanwhile: it has to be read. */
const ERROR_MS = 1500;

/** The engine's reasons in words; others are shown as they are. */
const REASONS: Record<string, string> = {
  blank: 'the model proposed only white space',
  'already-after-caret': 'the proposed text is already there',
  unbalanced: 'the proposed text closes what was never opened',
  repetitive: 'the model repeated itself',
  'repeats-line': 'the proposed text repeats the line above or below',
  'low-score': 'the model is not sure enough of what it proposed',
  secret: 'the proposed text looks like a secret',
  'destructive-command': 'the proposed text would destroy something',
  profanity: 'the proposed text is not polite',
  'line-break-before-text': 'the answer begins with a line break, before other text',
  'no-token': 'the model has nothing to add here',
  'end-token': 'the model would end here',
  context: 'the context is full',
  'time-budget': 'the time was up',
};

export class StatusLine {
  readonly #root: HTMLElement;
  readonly #message: HTMLElement;
  readonly #figures: HTMLElement;
  readonly #keys: HTMLElement;
  readonly #bar: HTMLElement;
  /** What is to be said in a moment, unless something else is said before. */
  #next: ReturnType<typeof setTimeout> | undefined;
  #errorAt = -Infinity;

  constructor(root: HTMLElement) {
    const part = (name: string): HTMLElement => root.querySelector(`.${name}`) as HTMLElement;
    this.#root = root;
    this.#message = part('message');
    this.#figures = part('figures');
    this.#keys = part('keys');
    this.#bar = part('bar');
  }

  get state(): State {
    return this.#root.dataset['state'] as State;
  }

  loading(name: string, progress?: LoadProgress): void {
    if (!progress) return this.#show('loading', `Loading ${name}…`);
    const { phase, loadedBytes, totalBytes } = progress;
    const percent = totalBytes ? Math.floor((100 * loadedBytes) / totalBytes) : undefined;
    const amount = totalBytes
      ? `${megabytes(loadedBytes)} of ${megabytes(totalBytes)} MB (${percent} %)`
      : `${megabytes(loadedBytes)} MB`;
    this.#show(
      'loading',
      `${phase === 'download' ? 'Loading' : 'Preparing'} ${name}: ${amount}`,
      '',
      percent,
    );
  }

  ready(name: string, info: ModelInfo): void {
    const figures = [
      `${millions(info.parameters)} M parameters`,
      `${megabytes(info.weightsBytes)} MB`,
      `${info.contextTokens} tokens of context`,
      ...info.warnings,
    ];
    this.#show('ready', `Ready: ${name}`, figures.join(' · '));
    this.#root.title = `${name}: ${figures.join(', ')}`; // stays when the line goes on to other things
  }

  /** Says so only after a while, and keeps the figures of the answer before: the line must not jump on every key. */
  thinking(): void {
    this.#soon(THINKING_AFTER_MS, () => this.#show('thinking', 'Thinking…', this.#figures.textContent));
  }

  /** The document went on: back to rest, unless something newer was said meanwhile. */
  idle(): void {
    if (this.state !== 'error') clearTimeout(this.#next);
    if (this.state === 'thinking') this.#show('ready', 'Ready', this.#figures.textContent);
  }

  suggestion(result: CompletionResult): void {
    this.#soon(0, () => this.#show('suggestion', 'Suggestion', figuresOf(result)));
  }

  nothing(reason: string, result: CompletionResult): void {
    const message = `Nothing to suggest: ${REASONS[reason] ?? reason}`;
    this.#soon(0, () => this.#show('nothing', message, figuresOf(result)));
  }

  error(error: unknown): void {
    this.#errorAt = performance.now();
    this.#show('error', error instanceof MidlineError ? textOf(error) : String(error));
  }

  /** After `ms`, and not before an error was read. */
  #soon(ms: number, say: () => void): void {
    const unread = this.state === 'error' ? this.#errorAt + ERROR_MS - performance.now() : 0;
    clearTimeout(this.#next);
    if (Math.max(ms, unread) <= 0) say();
    else this.#next = setTimeout(say, Math.max(ms, unread));
  }

  #show(state: State, message: string, figures = '', percent?: number): void {
    clearTimeout(this.#next);
    this.#root.dataset['state'] = state;
    // Read out: loading and errors. What changes on every key would drown them; Monaco
    // announces its suggestions itself.
    const aloud = state === 'error' || state === 'loading' || message.startsWith('Ready:');
    this.#message.setAttribute('aria-live', aloud && percent === undefined ? 'polite' : 'off');
    if (this.#message.textContent !== message) this.#message.textContent = message;
    this.#figures.textContent = figures;
    this.#keys.hidden = state !== 'suggestion';
    this.#bar.hidden = percent === undefined;
    if (percent === undefined) return;
    this.#bar.style.setProperty('--done', String(percent));
    this.#bar.setAttribute('aria-valuenow', String(percent));
  }
}

/** The message with its code; what was expected and found only where the message does not say it already. */
function textOf({ message, expected, found, code }: MidlineError): string {
  const more = [
    expected !== undefined && !message.includes(expected) && `expected ${expected}`,
    found !== undefined && !message.includes(found) && `found ${found}`,
  ].filter(Boolean);
  return `${message}${more.length > 0 ? `: ${more.join(', ')}` : ''} [${code}]`;
}

function figuresOf({ stats }: CompletionResult): string {
  const { promptTokens, reusedTokens, newTokens, prefillMs, decodeMs, variant, threads } = stats;
  // The first token comes with the reading of the prompt. A time near the clock's resolution makes no rate.
  const rate = decodeMs >= 0.5 ? Math.round((1000 * (newTokens - 1)) / decodeMs) : '–';
  return [
    `${rate} tokens/s`,
    `${newTokens} new, ${promptTokens - reusedTokens} read, ${reusedTokens} kept`,
    `${Math.round(prefillMs + decodeMs)} ms`,
    `${variant}, ${threads === 1 ? '1 thread' : `${threads} threads`}`,
  ].join(' · ');
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
const millions = (count: number): string => (count / 1e6).toFixed(count < 1e7 ? 1 : 0);
