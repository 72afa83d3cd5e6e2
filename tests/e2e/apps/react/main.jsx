/** Strict mode mounts every component twice, which a leaking recipe does not survive. */
import { StrictMode, createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { completer, Editor } from './editor.jsx';

const root = createRoot(document.getElementById('root'));
root.render(createElement(StrictMode, null, createElement(Editor)));
completer.then(() => (globalThis.ready = true));
globalThis.unmount = () => root.unmount();
