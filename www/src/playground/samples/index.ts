/** The languages of the picker, each with a small file to try things in. */
import javascript from './debounce.js?raw';
import python from './words.py?raw';
import rust from './stack.rs?raw';
import typescript from './queue.ts?raw';

export interface Sample {
  /** Monaco's language id. */
  readonly id: string;
  readonly label: string;
  /** Models are shown the path, so each sample has a plausible one. */
  readonly path: string;
  readonly text: string;
}

export const SAMPLES: readonly Sample[] = [
  { id: 'python', label: 'Python', path: '/tools/words.py', text: python },
  { id: 'javascript', label: 'JavaScript', path: '/src/debounce.js', text: javascript },
  { id: 'typescript', label: 'TypeScript', path: '/src/queue.ts', text: typescript },
  { id: 'rust', label: 'Rust', path: '/src/stack.rs', text: rust },
];
