/**
 * The typing trace, replayed as an editor does it through the public API: every key aborts what is running; after a
 * key that changed the text the completer is asked with the text before and after the caret. Caret moves only abort.
 *
 * `paced` keeps the rhythm: a request that the next key overtakes gives no latency. `answered` waits for every
 * answer before the next key, so that slow answers count as well.
 */

/** A longer wait for the next key is cut to this: the answer is there, nothing happens in the rest. */
const LONGEST_WAIT_MS = 400;

let completer;
let options;
let sessions;

export async function load(model, completeOptions) {
  completer?.dispose();
  const { createCompleter } = await import('/midline/index.js');
  sessions = await (await fetch('/trace.json')).json();
  completer = await createCompleter({ model });
  options = completeOptions;
  // Warm: the browser compiles the hot functions, and the pace of the engine is found.
  for (const { start } of sessions) await completer.complete(start, '', options);
  return { languages: sessions.map(({ language }) => language), info: completer.info };
}

const sleepUntil = (time) => new Promise((resolve) => setTimeout(resolve, Math.max(0, time - performance.now())));

/** One session; a sample for each key that changed the text. */
export async function replay(index, { paced, debounceMs }) {
  const { start, end, keys, language, path } = sessions[index];
  const samples = [];
  const running = [];
  let text = start;
  let abort = new AbortController();
  let due = performance.now();
  let lastMs = keys[0][0];

  const ask = async (pressed, caret, signal) => {
    const sample = { outcome: 'cancelled' };
    samples.push(sample);
    const [prefix, suffix] = [text.slice(0, caret), text.slice(caret)];
    if (debounceMs > 0) await sleepUntil(pressed + debounceMs);
    if (signal.aborted) return;
    try {
      const result = await completer.complete(prefix, suffix, { ...options, languageId: language, path, signal });
      const { variant, model, ...stats } = result.stats;
      Object.assign(sample, { outcome: 'answered', ms: performance.now() - pressed, shown: result.suggestions.length, stats });
    } catch (error) {
      if (error.name !== 'AbortError') throw error;
      sample.abortedMs = performance.now() - pressed;
    }
  };

  for (const [atMs, from, remove, insert, caret] of keys) {
    if (paced) {
      due += Math.min(atMs - lastMs, LONGEST_WAIT_MS);
      lastMs = atMs;
      await sleepUntil(due);
    }
    const pressed = performance.now();
    abort.abort();
    abort = new AbortController();
    text = text.slice(0, from) + insert + text.slice(from + remove);
    if (remove === 0 && insert === '') continue;
    running.push(ask(pressed, caret, abort.signal));
    if (!paced) await running.at(-1);
  }
  await Promise.all(running);
  if (text !== end) throw new Error(`the ${language} session ended with another text`);
  return samples;
}
