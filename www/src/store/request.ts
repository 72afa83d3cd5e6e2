/** One request to the server: its bytes as they come, or what went wrong, in the package's words. */
import { describe, MidlineError } from '../client/errors.js';
import { aborted, Interrupted, offline } from './failures.js';
import { judge, rangeHeaders, type Question, type Verdict } from './responses.js';

/** An answer whose body is worth reading. */
export interface Opened {
  readonly verdict: Exclude<Verdict, { kind: 'failed' }>;
  /** The next bytes, or `undefined` at the end. Rejects with `Interrupted` or an `AbortError`. */
  read(): Promise<Uint8Array | undefined>;
  /** Ends the request, if it has not ended. */
  close(): void;
}

/**
 * Asks for what `question` says. Silence of `stallMs` ends the connection.
 *
 * @throws Interrupted where another attempt may help, MidlineError where not, an AbortError
 */
export async function open(
  question: Question,
  stallMs: number,
  signal: AbortSignal | undefined,
): Promise<Opened> {
  const controller = new AbortController();
  let stalled = false;
  let watch: ReturnType<typeof setTimeout> | undefined;
  const onAbort = (): void => controller.abort();
  signal?.addEventListener('abort', onAbort, { once: true });
  const awaited = (): void => {
    clearTimeout(watch);
    watch = setTimeout(() => {
      stalled = true;
      controller.abort();
    }, stallMs);
  };
  const close = (): void => {
    clearTimeout(watch);
    signal?.removeEventListener('abort', onAbort);
    controller.abort();
  };
  const broken = (error: unknown): Error => {
    close();
    if (signal?.aborted) return aborted();
    const found = stalled ? `no byte for ${stallMs} ms` : describe(error);
    return new Interrupted(offline(question.url, found));
  };
  if (signal?.aborted) throw aborted();
  awaited();
  const { url } = question;
  const sameOrigin = new URL(url).origin === globalThis.location?.origin;
  const headers = rangeHeaders(question, sameOrigin);
  // The store is the cache: a second copy in the browser's would take room from it.
  const response = await fetch(url, { headers, cache: 'no-store', signal: controller.signal }).catch(
    async (error: unknown) => {
      const failed = broken(error);
      if (failed instanceof Interrupted && !stalled && !sameOrigin && (await answers(url)))
        throw refused(url);
      throw failed;
    },
  );
  const verdict = judge(question, response);
  if (verdict.kind === 'failed') {
    close();
    throw verdict.again ? new Interrupted(verdict.error) : new MidlineError(verdict.error);
  }
  const reader = response.body?.getReader();
  return {
    verdict,
    close,
    async read() {
      awaited();
      try {
        const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
        clearTimeout(watch);
        if (done) close();
        return value;
      } catch (error) {
        throw broken(error);
      }
    },
  };
}

/** Whether the server answers at all, when the page may not see what. */
async function answers(url: string): Promise<boolean> {
  const controller = new AbortController();
  try {
    await fetch(url, { mode: 'no-cors', method: 'HEAD', cache: 'no-store', signal: controller.signal });
    return true;
  } catch {
    return false;
  } finally {
    controller.abort();
  }
}

const refused = (url: string): MidlineError =>
  new MidlineError({
    code: 'cors',
    message: `The server does not let this page read the model: ${url}`,
    expected: 'the header access-control-allow-origin',
    found: 'an answer that the page may not see',
  });
