/** The store as a page without any bundler uses it; tests call it through `store`. */
import * as midline from '../dist/index.js';
import { openModelStore } from '../dist/store/index.js';

globalThis.midline = midline;
globalThis.openModelStore = openModelStore;
globalThis.store = await openModelStore();
