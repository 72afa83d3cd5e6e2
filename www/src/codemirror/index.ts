/** Ghost text in CodeMirror 6: `midline({ completer })` is an extension for the editor's state. */
import { Prec, type Extension } from '@codemirror/state';
import { keymap } from '@codemirror/view';
import { midlineKeymap } from './commands.js';
import { checkedConfig, midlineConfig, type MidlineConfig } from './config.js';
import { sessionField } from './field.js';
import { sessionPlugin } from './plugin.js';
import { ghostTheme } from './theme.js';

export {
  acceptLine,
  acceptSuggestion,
  acceptWord,
  dismiss,
  midlineKeymap,
  nextSuggestion,
  previousSuggestion,
  triggerSuggestion,
} from './commands.js';
export type { MidlineConfig } from './config.js';
export type { MidlineEvent } from '../editor/index.js';

/**
 * The extension. Each view has its own session; the completer stays the caller's.
 *
 * @throws MidlineError `request-invalid` for an option of the wrong type or range
 */
export function midline(config: MidlineConfig): Extension {
  const checked = checkedConfig(config);
  return [
    midlineConfig.of(checked),
    sessionField,
    sessionPlugin,
    ghostTheme,
    config.keymap === false ? [] : Prec.highest(keymap.of(midlineKeymap)),
  ];
}
