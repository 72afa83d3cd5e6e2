/** What a test can do with an editor besides pressing keys. */
import type { Completer } from 'midline';

export interface TestEditor {
  /** Sets the document; `|` is the caret. */
  set(text: string): void;
  /** The document with line feeds and the caret as `|`. */
  text(): string;
  /** Suggested text as it is drawn: what is on the caret's line, then the lines below. */
  ghost(): string;
  focus(): void;
  run(command: Command): void;
  dispose(): void;
}

export type Command = 'trigger' | 'accept' | 'acceptWord' | 'acceptLine' | 'next' | 'previous' | 'dismiss';

export type CreateEditor = (
  host: HTMLElement,
  completer: Completer,
  options: { readonly dark: boolean; readonly [name: string]: unknown },
) => Promise<TestEditor>;

/** Text as it was meant: editors draw some spaces and empty lines with other characters. */
export function plain(text: string): string {
  return text.replaceAll('\u00a0', ' ').replaceAll('\u200b', '');
}

/** The text of elements. */
export function textOf(root: ParentNode, selector: string): string[] {
  return [...root.querySelectorAll(selector)].map((element) => plain(element.textContent ?? ''));
}
