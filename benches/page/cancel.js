/**
 * Cancels at random moments: how long until the worker is free again. The page aborts a completion and at once asks
 * for the tokens of one letter; the worker answers that when it has left the completion. What is measured contains
 * the way of both messages.
 */
const OPTIONS = { beamWidth: 4, format: 'prefix' };
/** Lines of the prompt: enough to read for a while on a large model. */
const LINES = 20;

let completer;
let lines;
let turn = 0;

/** Another text each time, so that the whole prompt is read. */
function prompt() {
  turn = (turn + 3) % lines.length;
  const turned = [...lines.slice(turn), ...lines.slice(0, turn)].slice(0, LINES);
  return `# ${Math.random()}\n${turned.join('\n')}\n    result = `;
}

export async function load(model) {
  const { createCompleter } = await import('/midline/index.js');
  lines = (await (await fetch('/prompt-466.txt')).text()).split('\n');
  completer = await createCompleter({ model });
  for (let i = 0; i < 3; i++) await completer.complete(prompt(), '', OPTIONS);
  return completer.info;
}

/** How long the two phases take now: the median of three. */
async function phases() {
  const runs = [];
  for (let i = 0; i < 3; i++) runs.push((await completer.complete(prompt(), '', OPTIONS)).stats);
  const median = (pick) => runs.map(pick).sort((a, b) => a - b)[1];
  return { prefillMs: median((stats) => stats.prefillMs), decodeMs: median((stats) => stats.decodeMs) };
}

/** `moments`: `{ phase, share }`, the share of the phase that has passed. Gives `freeMs` for each. */
export async function cancelAt(moments) {
  const { prefillMs, decodeMs } = await phases();
  const samples = [];
  for (const { phase, share } of moments) {
    const abort = new AbortController();
    const answer = completer.complete(prompt(), '', { ...OPTIONS, signal: abort.signal });
    const ended = answer.then(() => 'over', () => phase);
    const afterMs = phase === 'prefill' ? share * prefillMs : prefillMs + share * decodeMs;
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    const aborted = performance.now();
    abort.abort();
    await completer.tokenize('a');
    samples.push({ freeMs: performance.now() - aborted, afterMs, phase: await ended });
  }
  return samples;
}
