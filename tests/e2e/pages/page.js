/** The built package as a page without any bundler uses it; tests call it through `midline`. */
import * as midline from '../dist/index.js';

globalThis.midline = midline;
