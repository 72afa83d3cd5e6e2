/** Midline's engine without the package around it, for parts that time single steps: one engine a page. */
import { engineContender } from './midline-engine.js';

let engine;

/** `{ variant, model, contextTokens }`; a model named `file` is the one in the page's file input. */
export async function load(options) {
  engine?.free();
  const model = options.model === 'file' ? document.querySelector('input').files[0] : options.model;
  engine = engineContender({ ...options, model });
  return engine.load();
}

export const bench = (promptTokens, newTokens) => engine.run({ tokens: promptTokens }, newTokens);
export const steps = (request) => engine.steps(request);
