/**
 * Midline through its public API, as an embedding page sees it. A completion ends with its line, so generation is summed
 * over several short completions, and each prompt starts differently so that no cached prefix is reused.
 */
const PROBES = [
  '# The long list of all country names, as one Python list on one line\nCOUNTRIES = ["France", "Spain", ',
  '# Sum of everything\ntotal = first_value + second_value + third_value + ',
  '"""Numbers from one to one hundred in words, comma separated."""\nWORDS = "one, two, three, ',
];

export function publicApiContender() {
  let completer;
  let prompt;
  let count = 0;
  return {
    async load() {
      const { createCompleter } = await import('/midline/index.js');
      prompt = await (await fetch('/prompt.txt')).text();
      const start = performance.now();
      completer = await createCompleter({ model: '/model.gguf' });
      return { loadMs: performance.now() - start };
    },
    async run() {
      const total = { promptTokens: 0, prefillMs: 0, newTokens: 0, decodeMs: 0 };
      const start = performance.now();
      for (const [i, probe] of [prompt, ...PROBES].entries()) {
        const prefix = `# ${count++}\n${probe}`;
        const { stats } = await completer.complete(prefix, '', { format: 'prefix', maxNewTokens: 32, beamWidth: 1 });
        if (i === 0) {
          total.promptTokens = stats.promptTokens - stats.reusedTokens;
          total.prefillMs = stats.prefillMs;
        } else {
          total.newTokens += stats.newTokens;
          total.decodeMs += stats.decodeMs;
        }
        total.variant = stats.variant;
      }
      return { ...total, wallMs: performance.now() - start };
    },
  };
}
