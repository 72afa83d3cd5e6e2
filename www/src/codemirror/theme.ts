/** Colours of suggested text; a page's own theme goes before this one. */
import { EditorView } from '@codemirror/view';

export const ghostTheme = EditorView.baseTheme({
  '.cm-ghostText': { fontStyle: 'inherit', unicodeBidi: 'isolate' },
  '&light .cm-ghostText': { color: '#757067' },
  '&dark .cm-ghostText': { color: '#918e86' },
  // As wide as a line, and with its padding.
  '.cm-ghostBlock': { padding: '0 2px 0 6px', unicodeBidi: 'plaintext' },
});
