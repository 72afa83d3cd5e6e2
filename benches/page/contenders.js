/** What is measured in the page: each contender has `load()` and `run(promptTokens, newTokens)`. */
import { engineContender } from './midline-engine.js';
import { publicApiContender } from './midline-api.js';
import { wllamaContender } from './wllama.js';

export const contenders = {
  'midline simd128': engineContender('simd128'),
  'midline relaxed': engineContender('relaxed'),
  'midline api': publicApiContender(),
  wllama: wllamaContender(),
};
