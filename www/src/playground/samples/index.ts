/**
 * The languages of the picker, each with a small file to try things in. The files break off in the middle, where
 * the default model has something to add, so that the first view already shows what the page is about.
 */
import javascript from './debounce.js.txt?raw';
import rust from './point.rs.txt?raw';
import typescript from './queue.ts.txt?raw';
import python from './shapes.py.txt?raw';

export interface Sample {
  /** Monaco's language id. */
  readonly id: string;
  readonly label: string;
  /** Models are shown the path, so each sample has a plausible one. */
  readonly path: string;
  /** The caret belongs at its end. */
  readonly text: string;
}

const sample = (id: string, label: string, path: string, text: string): Sample => ({
  id,
  label,
  path,
  text: text.trimEnd(),
});

export const SAMPLES: readonly Sample[] = [
  sample('python', 'Python', '/tools/shapes.py', python),
  sample('javascript', 'JavaScript', '/src/debounce.js', javascript),
  sample('typescript', 'TypeScript', '/src/queue.ts', typescript),
  sample('rust', 'Rust', '/src/point.rs', rust),
];
