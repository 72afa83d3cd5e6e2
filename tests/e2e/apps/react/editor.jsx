/** The recipe of docs/codemirror.md: the completer belongs to the page, the editor to the component. */
import { Compartment } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { createCompleter } from 'midline';
import { midline } from 'midline/codemirror';
import { useEffect, useRef } from 'react';

// Once for the page, outside of components: loading takes a second and the model's memory.
export const completer = createCompleter({
  model: '/models/midline-5m-q4_0.gguf',
});
completer.catch((error) => console.error(error)); // without a model the editor is still an editor

export function Editor({ text = '' }) {
  const host = useRef(null);
  useEffect(() => {
    const suggestions = new Compartment();
    const view = new EditorView({ doc: text, parent: host.current, extensions: [suggestions.of([])] });
    let mounted = true;
    const attach = (completer) => {
      if (!mounted) return;
      const extension = midline({ completer, path: 'src/example.py', languageId: 'python' });
      view.dispatch({ effects: suggestions.reconfigure(extension) });
    };
    completer.then(attach, () => undefined);
    return () => {
      mounted = false;
      view.destroy(); // the session ends with the view; the completer stays
    };
  }, []);
  return <div ref={host} />;
}
