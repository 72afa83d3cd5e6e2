/** The options of the extension, and the facet that holds them. */
import { combineConfig, Facet, type EditorState } from '@codemirror/state';
import type { Completer } from '../client/types.js';
import { invalid, settingsFrom, type EditorOptions, type Settings } from '../editor/index.js';

export interface MidlineConfig extends EditorOptions {
  /** The completer, from `createCompleter`. It stays the caller's. */
  readonly completer: Completer;
  /** Path of the document, `/`-separated: models trained with file headers are shown its last parts. */
  readonly path?: string | ((state: EditorState) => string | undefined);
  /** Language id (`python`, `typescript`); by default the name of the document's language. */
  readonly languageId?: string | ((state: EditorState) => string | undefined);
  /**
   * Whether the keys are bound: Tab accepts, Escape dismisses, Ctrl/Cmd+Right accepts a word, Ctrl/Cmd+Alt+Right a
   * line, Alt+] and Alt+[ go through the suggestions, Alt+\ asks for some. True by default.
   */
  readonly keymap?: boolean;
  /**
   * A suggestion that came less than this long ago is not accepted: the key was pressed before it could be seen.
   * In milliseconds, 75 by default.
   */
  readonly acceptDelayMs?: number;
}

/** The options with defaults, checked. */
export interface Config {
  readonly settings: Settings;
  readonly path: MidlineConfig['path'];
  readonly languageId: MidlineConfig['languageId'];
  readonly acceptDelayMs: number;
}

export const midlineConfig = Facet.define<Config, Config | undefined>({
  // Two different completers in one editor are a mistake, which combineConfig reports.
  combine: (configs) => (configs.length > 0 ? (combineConfig<Config>(configs, {}) as Config) : undefined),
});

/** @throws MidlineError `request-invalid` for an option of the wrong type or range */
export function checkedConfig(options: MidlineConfig): Config {
  if (typeof options !== 'object' || options === null) throw invalid('options', 'an object', options);
  const { completer, path, languageId, keymap = true, acceptDelayMs = 75, ...rest } = options;
  for (const [name, value] of Object.entries({ path, languageId }))
    if (value !== undefined && typeof value !== 'string' && typeof value !== 'function')
      throw invalid(name, 'a string or a function', value);
  if (typeof keymap !== 'boolean') throw invalid('keymap', 'true or false', keymap);
  if (!(Number.isFinite(acceptDelayMs) && acceptDelayMs >= 0))
    throw invalid('acceptDelayMs', 'a number of 0 or more', acceptDelayMs);
  return { settings: settingsFrom(completer, rest), path, languageId, acceptDelayMs };
}
