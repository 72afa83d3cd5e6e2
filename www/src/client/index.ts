/**
 * Code completion inside the page: `createCompleter` loads a model into a worker,
 * `complete` asks it for the text at the caret.
 */
import { Client } from './client.js';
import type { Completer, CompleterOptions } from './types.js';
import { packagedWorker } from './worker-files.js';

export { MidlineError } from './errors.js';
export type { ClientErrorCode, EngineErrorCode, ErrorCode, ErrorFields } from './errors.js';
export type * from './types.js';

/**
 * Loads a model and gives a {@link Completer} for it.
 *
 * Rejects with a {@link MidlineError}: `request-invalid` (options), `http-status`,
 * `offline` or `not-a-model` (fetching), `unsupported-browser`, `worker-died`, or
 * one of the engine's codes that say what is wrong with the file. A failed load
 * leaves nothing behind and does not touch other completers.
 *
 * A content security policy must allow the package's own origin in `worker-src`
 * (else `script-src`) and `connect-src`, and `'wasm-unsafe-eval'` in `script-src`,
 * also in the policy that the worker's script is served with. `'unsafe-eval'`,
 * `blob:` and inline scripts are not needed.
 */
export async function createCompleter(options: CompleterOptions): Promise<Completer> {
  return Client.create(options, packagedWorker);
}
