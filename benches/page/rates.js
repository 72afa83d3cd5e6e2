/** Prompt and generation rates of the contenders in the page: `load(name, spec)`, then `run(name, prompt, newTokens)`. */
import { publicApiContender } from './midline-api.js';
import { engineContender } from './midline-engine.js';
import { wllamaContender } from './wllama.js';

const KINDS = { engine: engineContender, api: publicApiContender, wllama: wllamaContender };
const contenders = new Map();

export async function load(name, { kind, ...options }) {
  const contender = KINDS[kind](options);
  const facts = await contender.load();
  contenders.set(name, contender);
  return facts;
}

/** `prompt`: `{ url, tokens }`. Gives `{ promptTokens, prefillMs, newTokens, decodeMs }`. */
export const run = (name, prompt, newTokens) => contenders.get(name).run(prompt, newTokens);
