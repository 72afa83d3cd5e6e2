/**
 * Monaco with what this page needs and no more: an editor, four languages'
 * colours, inline suggestions. Everything is fetched before the promise resolves,
 * so that the page works on when the network is gone.
 */
import * as monaco from 'monaco-editor/editor';
import EditorWorker from 'monaco-editor/editor/editor.worker?worker';
import 'monaco-editor/features/bracketMatching/register';
import 'monaco-editor/features/caretOperations/register';
import 'monaco-editor/features/clipboard/register';
import 'monaco-editor/features/codeEditor/register';
import 'monaco-editor/features/codicon/register';
import 'monaco-editor/features/comment/register';
import 'monaco-editor/features/contextmenu/register';
import 'monaco-editor/features/cursorUndo/register';
import 'monaco-editor/features/find/register';
import 'monaco-editor/features/folding/register';
import 'monaco-editor/features/indentation/register';
import 'monaco-editor/features/inlineCompletions/register';
import 'monaco-editor/features/lineSelection/register';
import 'monaco-editor/features/linesOperations/register';
import 'monaco-editor/features/multicursor/register';
import 'monaco-editor/features/smartSelect/register';
import 'monaco-editor/features/toggleTabFocusMode/register';
import 'monaco-editor/features/tokenization/register';
import 'monaco-editor/features/wordOperations/register';
import 'monaco-editor/languages/definitions/javascript/register';
import 'monaco-editor/languages/definitions/python/register';
import 'monaco-editor/languages/definitions/rust/register';
import 'monaco-editor/languages/definitions/typescript/register';

export type Monaco = typeof monaco;

/** Loads the rest of Monaco and gives it. `languages` are the ids whose colours will be wanted. */
export async function loadMonaco(languages: readonly string[]): Promise<Monaco> {
  // Started now: later there may be no network to fetch its script from.
  const spare = [new EditorWorker()];
  globalThis.MonacoEnvironment = { getWorker: () => spare.pop() ?? new EditorWorker() };
  // Colouring nothing makes Monaco fetch a language's grammar.
  await Promise.all(languages.map((id) => monaco.editor.colorize('', id, {})));
  return monaco;
}
