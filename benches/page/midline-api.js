/**
 * Midline through its public API, as an embedding page sees it. A completion ends with its line, so generation is summed
 * over several short completions, and each prompt starts differently so that no cached prefix is reused.
 */
const PROBES = [
  '# The long list of all country names, as one Python list on one line\nCOUNTRIES = ["France", "Spain", ',
  '# Sum of everything\ntotal = first_value + second_value + third_value + ',
  '"""Numbers from one to one hundred in words, comma separated."""\nWORDS = "one, two, three, ',
];

export function publicApiContender({ model, threads, beamWidth = 1 }) {
  let completer;
  let count = 0;
  return {
    async load() {
      const { createCompleter } = await import('/midline/index.js');
      const start = performance.now();
      completer = await createCompleter({ model, ...(threads && { threads }) });
      return { loadMs: performance.now() - start };
    },
    async run({ url }, newTokens) {
      const prompt = await (await fetch(url)).text();
      const total = { promptTokens: 0, prefillMs: 0, newTokens: 0, decodeMs: 0 };
      const start = performance.now();
      for (const [i, probe] of [prompt, ...PROBES].entries()) {
        const options = { format: 'prefix', maxNewTokens: newTokens, beamWidth };
        const { stats } = await completer.complete(`# ${count++}\n${probe}`, '', options);
        if (i === 0) {
          total.promptTokens = stats.promptTokens - stats.reusedTokens;
          total.prefillMs = stats.prefillMs;
        } else {
          // The first token comes with the end of the prompt.
          total.newTokens += stats.newTokens - 1;
          total.decodeMs += stats.decodeMs;
        }
        Object.assign(total, { variant: stats.variant, threads: stats.threads });
      }
      return { ...total, wallMs: performance.now() - start };
    },
  };
}
