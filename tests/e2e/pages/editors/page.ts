/** Both editors in one page, each with the adapter of the built package; tests drive them through `editors`. */
import { createCodeMirror } from './codemirror.js';
import { Scripted } from './completer.js';
import { createMonaco } from './monaco.js';
import type { TestEditor } from './editor.js';
import { createCompleter, type Completer } from 'midline';

const kinds = { monaco: createMonaco, codemirror: createCodeMirror };
const scripted = new Scripted();

export const editors = {
  scripted,
  current: undefined as TestEditor | undefined,
  all: [] as TestEditor[],
  /** Opens an editor with `text`, the caret at `|`. `model` is the address of a model for a real completer. */
  async open(
    kind: keyof typeof kinds,
    text: string,
    options: { readonly dark?: boolean; readonly model?: string; readonly [name: string]: unknown } = {},
  ): Promise<void> {
    this.close();
    await this.openAlso(kind, text, options);
  },
  /** Opens one more editor. */
  async openAlso(
    kind: keyof typeof kinds,
    text: string,
    options: { readonly dark?: boolean; readonly model?: string; readonly [name: string]: unknown } = {},
  ): Promise<void> {
    const { dark = false, model, ...rest } = options;
    const completer = model ? await createCompleter({ model }) : (scripted as unknown as Completer);
    const host = document.body.appendChild(document.createElement('div'));
    host.className = 'host';
    this.current = await kinds[kind](host, completer, { dark, ...rest });
    this.all.push(this.current);
    this.current.set(text);
    this.current.focus();
  },
  close(): void {
    for (const editor of this.all.splice(0)) editor.dispose();
    this.current = undefined;
    for (const host of document.querySelectorAll('.host')) host.remove();
  },
};

export type Editors = typeof editors;
Object.assign(globalThis, { editors });
