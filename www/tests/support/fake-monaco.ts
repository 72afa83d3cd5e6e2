/** Monaco as far as the adapter knows it: a model of one string, and the provider that was registered. */
import type * as Monaco from 'monaco-editor';
import { vi } from 'vitest';
import type { Completer } from '../../src/client/types.js';
import { registerMidline, type MonacoApi, type RegisterOptions } from '../../src/monaco/index.js';

type Listener<T> = (event: T) => void;

/** Listeners that can be counted. */
class Emitter<T> {
  readonly listeners = new Set<Listener<T>>();
  readonly event = (listener: Listener<T>) => {
    this.listeners.add(listener);
    return { dispose: () => void this.listeners.delete(listener) };
  };
  fire(event: T): void {
    for (const listener of [...this.listeners]) listener(event);
  }
}

export class FakeModel {
  readonly changed = new Emitter<object>();
  readonly language = new Emitter<object>();
  readonly willDispose = new Emitter<void>();
  readonly onDidChangeContent = this.changed.event;
  readonly onDidChangeLanguage = this.language.event;
  readonly onWillDispose = this.willDispose.event;
  readonly uri = { path: '/x.py' };
  version = 1;
  disposed = false;

  constructor(
    public text: string,
    private readonly eol = '\n',
  ) {}

  isDisposed = (): boolean => this.disposed;
  getLanguageId = (): string => 'python';
  getEOL = (): string => this.eol;
  getVersionId = (): number => this.version;
  getOffsetAt = ({ lineNumber, column }: Monaco.IPosition): number => {
    const before = this.#lines().slice(0, lineNumber - 1);
    return Math.min(
      before.reduce((sum, line) => sum + line.length + this.eol.length, 0) + column - 1,
      this.text.length,
    );
  };
  getPositionAt = (offset: number): Monaco.IPosition => {
    const before = this.text.slice(0, offset).split(this.eol);
    return { lineNumber: before.length, column: (before.at(-1) ?? '').length + 1 };
  };
  getLineMaxColumn = (line: number): number => (this.#lines()[line - 1] ?? '').length + 1;
  getValueInRange = (range: Monaco.IRange, preference?: number): string => {
    const from = { lineNumber: range.startLineNumber, column: range.startColumn };
    const endColumn = Math.min(range.endColumn, this.getLineMaxColumn(range.endLineNumber));
    const to = { lineNumber: range.endLineNumber, column: endColumn };
    const text = this.text.slice(this.getOffsetAt(from), this.getOffsetAt(to));
    return preference === 1 ? text.replaceAll(this.eol, '\n') : text;
  };

  edit(from: number, to: number, insert: string): void {
    this.text = this.text.slice(0, from) + insert + this.text.slice(to);
    this.version++;
    const change = { rangeOffset: from, rangeLength: to - from, text: insert };
    this.changed.fire({ changes: [change], isFlush: false, isEolChange: false });
  }

  setValue(text: string): void {
    this.text = text;
    this.version++;
    this.changed.fire({ changes: [], isFlush: true, isEolChange: false });
  }

  dispose(): void {
    this.willDispose.fire();
    this.disposed = true;
  }

  get listening(): number {
    return [this.changed, this.language, this.willDispose].reduce((sum, e) => sum + e.listeners.size, 0);
  }

  #lines(): string[] {
    return this.text.split(this.eol);
  }
}

export interface Item {
  readonly insertText: string;
  readonly range: Monaco.IRange;
}

interface Provider {
  readonly debounceDelayMs: number;
  provideInlineCompletions(...args: unknown[]): Promise<{ items: Item[] }>;
  onDidChangeInlineCompletions(listener: () => void): Monaco.IDisposable;
  handleEndOfLifetime(list: object, item: object, reason: { kind: number }): void;
  freeInlineCompletions(list: object): void;
  disposeInlineCompletions(list: object): void;
}

/** Registers a completer that answers with `complete`, and gives what Monaco would call. */
export function registered(complete: Completer['complete'], options?: RegisterOptions) {
  const unregister = vi.fn();
  const register = vi.fn((_selector: unknown, _provider: unknown) => ({ dispose: unregister }));
  const created = new Emitter<object>();
  const monaco = {
    editor: {
      EndOfLinePreference: { LF: 1 },
      onDidCreateEditor: created.event,
      getEditors: () => [],
      registerCommand: () => ({ dispose: () => undefined }),
    },
    languages: {
      InlineCompletionTriggerKind: { Automatic: 0, Explicit: 1 },
      InlineCompletionEndOfLifeReasonKind: { Accepted: 0, Rejected: 1, Ignored: 2 },
      registerInlineCompletionsProvider: register,
    },
  };
  const registration = registerMidline(monaco as unknown as MonacoApi, { complete } as Completer, {
    debounceMs: 0,
    ...options,
  });
  const provider = register.mock.calls[0]?.[1] as Provider;
  const cancels = new Set<() => void>();
  const token = {
    isCancellationRequested: false,
    onCancellationRequested: (listener: () => void) => {
      cancels.add(listener);
      return { dispose: () => void cancels.delete(listener) };
    },
  };
  /** What Monaco is given at `offset`. */
  const ask = (model: FakeModel, offset: number, context: object = { triggerKind: 0 }) =>
    provider.provideInlineCompletions(model, model.getPositionAt(offset), context, token);
  const cancel = (): void => [...cancels].forEach((listener) => listener());
  return { ask, cancel, cancels, provider, registration, unregister, created };
}
