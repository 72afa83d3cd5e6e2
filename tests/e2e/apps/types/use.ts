/** Every door of the package as TypeScript sees it; compiled, never run. */
import { EditorState } from '@codemirror/state';
import { keymap } from '@codemirror/view';
import * as monaco from 'monaco-editor';
import {
  createCompleter,
  MidlineError,
  type CompleteOptions,
  type Completer,
  type CompleterOptions,
  type CompletionResult,
  type ErrorCode,
} from 'midline';
import { acceptWord, midline, midlineKeymap, type MidlineConfig } from 'midline/codemirror';
import { registerMidline, type MidlineEvent, type RegisterOptions } from 'midline/monaco';
import relaxedUrl from 'midline/wasm/relaxed.wasm';
import 'midline/worker';

const options: CompleterOptions = {
  model: new URL('https://models.test/m.gguf'),
  createWorker: () => new Worker('worker.js', { type: 'module' }),
  wasmUrls: { relaxed: relaxedUrl satisfies string },
};

export async function use(): Promise<string | ErrorCode | undefined> {
  const completer: Completer = await createCompleter(options);
  const register: RegisterOptions = { selector: 'python', onEvent: (event: MidlineEvent) => event.type };
  const registered: monaco.IDisposable = registerMidline(monaco, completer, register);
  const config: MidlineConfig = { completer, keymap: false, path: (state) => state.doc.line(1).text };
  const keys = [...midlineKeymap, { key: 'Alt-w', run: acceptWord }];
  EditorState.create({ extensions: [midline(config), keymap.of(keys)] });
  const request: CompleteOptions = { format: 'psm', maxNewTokens: 8 };
  try {
    const { suggestions }: CompletionResult = await completer.complete('a', 'b', request);
    return suggestions[0]?.text;
  } catch (error) {
    return error instanceof MidlineError ? error.code : undefined;
  } finally {
    registered.dispose();
    completer.dispose();
  }
}

// @ts-expect-error what is not a door stays closed
export type Closed = typeof import('midline/dist/client/core.js');
// @ts-expect-error options are checked
export const wrong: CompleteOptions = { beamWidth: 'two' };
