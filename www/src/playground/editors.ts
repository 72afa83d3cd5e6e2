/** The two editors of the page: one is shown, and the text goes along when the other takes its place. */
import type { Completer } from 'midline';
import type { RegisterOptions } from 'midline/monaco';
import { SAMPLES } from './samples/index.js';

/** A document and where the caret is in it, with line feeds. */
export interface Content {
  readonly text: string;
  readonly caret: number;
}

/** Options that both adapters take. */
export type AdapterOptions = Pick<RegisterOptions, 'beamWidth' | 'onEvent'>;

export interface PlaygroundEditor {
  /** Shows the document of a language, with the caret where it was. */
  show(languageId: string): void;
  /** Asks for a suggestion at the caret, as if by key. */
  suggest(): void;
  focus(): void;
  /** Completes with `completer` until the result is disposed. */
  attach(completer: Completer, options: AdapterOptions): { dispose(): void };
  read(): Content;
  /** Replaces the document that is shown; nothing happens if it is the same. */
  write(content: Content): void;
}

type Kind = 'monaco' | 'codemirror';

export class Editors {
  #made = new Map<Kind, { readonly editor: PlaygroundEditor; readonly host: HTMLElement }>();
  #shown: Kind | undefined;
  #used: { readonly completer: Completer; readonly options: AdapterOptions } | undefined;
  #attached: { dispose(): void } | undefined;
  #latest = 0;

  constructor(private readonly root: HTMLElement) {}

  get current(): PlaygroundEditor | undefined {
    return this.#shown && this.#made.get(this.#shown)?.editor;
  }

  /** Shows one of the editors; it is fetched the first time. */
  async choose(kind: string, languageId: string): Promise<PlaygroundEditor> {
    const wanted: Kind = kind === 'codemirror' ? 'codemirror' : 'monaco';
    const choice = ++this.#latest;
    const made = this.#made.get(wanted) ?? (await this.#make(wanted));
    if (choice !== this.#latest && this.current) return this.current;
    const content = this.current?.read();
    this.#shown = wanted;
    for (const [each, { host }] of this.#made) host.hidden = each !== wanted;
    made.editor.show(languageId);
    if (content) made.editor.write(content);
    this.#attach();
    return made.editor;
  }

  /** Completes with `completer` from now on, in whichever editor is shown. */
  use(completer: Completer, options: AdapterOptions): void {
    this.#used = { completer, options };
    this.#attach();
  }

  #attach(): void {
    this.#attached?.dispose();
    const { completer, options } = this.#used ?? {};
    this.#attached = completer && options && this.current?.attach(completer, options);
  }

  async #make(kind: Kind) {
    const host = document.createElement('div');
    host.className = 'host';
    this.root.append(host);
    const editor = kind === 'monaco' ? await makeMonaco(host) : await makeCodeMirror(host);
    const made = { editor, host };
    this.#made.set(kind, made);
    return made;
  }
}

async function makeMonaco(host: HTMLElement): Promise<PlaygroundEditor> {
  const [{ loadMonaco }, { createEditor }] = await Promise.all([
    import('./monaco.js'),
    import('./editor.js'),
  ]);
  const monaco = await loadMonaco(SAMPLES.map((sample) => sample.id));
  const playground = createEditor(monaco, host);
  // For the console and for tests.
  Object.assign(globalThis, { playground: { monaco, editor: playground.editor } });
  return playground;
}

async function makeCodeMirror(host: HTMLElement): Promise<PlaygroundEditor> {
  const { createCodeMirror } = await import('./codemirror.js');
  const playground = createCodeMirror(host);
  Object.assign(globalThis, { codemirror: playground.view });
  return playground;
}
