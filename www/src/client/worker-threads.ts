/**
 * Helper threads: workers with this worker's own script, so that there is no further address to find, to allow or to
 * cache. They instantiate the engine's module with the same memory, wait in it for work for ever, and end with this
 * worker, which owns them. Without them everything works on one thread, and the answers are the same.
 */
import { describe } from './errors.js';
import type { ThreadsInfo, Variant } from './types.js';

/** The generated code of a build, as far as threads need it. */
export interface ThreadedModule {
  initSync(options: {
    module: WebAssembly.Module;
    memory: WebAssembly.Memory;
    thread_stack_size: number;
  }): unknown;
  /** Never returns. */
  help(): void;
  /** Threads that are in the module at the moment, its own included. */
  threadsReady(): number;
}

/** The only message that a helper gets. */
export interface HelpMessage {
  readonly type: 'help';
  readonly variant: Variant;
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
}

/** Most threads where the caller gives no number: on more the small models gain nothing. */
const MOST_MEASURED = 4;
/** The engine takes no more. */
const MOST = 16;
/** Time after which the engine goes on without helpers that are not ready; late ones still join. */
const START_LIMIT_MS = 2_000;
const LOOK_EVERY_MS = 4;
/** The loops that helpers run need little. A multiple of the page size. */
const STACK_BYTES = 4 * 65_536;

/** How many threads to run, and why it is one. */
export function wantedThreads(requested: number | undefined): ThreadsInfo {
  if (requested === 1) return { available: 1, reason: 'requested' };
  if (!globalThis.crossOriginIsolated) return { available: 1, reason: 'not-isolated' };
  // The engine's memory is shared in any case; without this it cannot be sent.
  if (typeof SharedArrayBuffer !== 'function') return { available: 1, reason: 'no-shared-memory' };
  const processors = globalThis.navigator?.hardwareConcurrency || 1;
  const available = Math.min(requested ?? Math.min(processors, MOST_MEASURED), MOST);
  return available > 1 ? { available } : { available: 1, reason: 'one-processor' };
}

/** Starts helpers until `wanted` threads are there or it is clear that they will not come. Never rejects. */
export async function startHelpers(
  wanted: ThreadsInfo,
  module: ThreadedModule,
  message: HelpMessage,
  start = (): Worker => new Worker(globalThis.location.href, { type: 'module', name: 'midline-helper' }),
): Promise<ThreadsInfo> {
  if (wanted.available === 1) return wanted;
  let failed: string | undefined;
  for (let i = 1; i < wanted.available; i++) {
    try {
      const worker = start();
      worker.addEventListener('error', (event) => {
        event.preventDefault(); // told by `reason`
        failed ??= event.message || 'its script was refused';
      });
      worker.postMessage(message);
    } catch (error) {
      failed ??= describe(error);
      break;
    }
  }
  const started = performance.now();
  while (failed === undefined && module.threadsReady() < wanted.available) {
    if (performance.now() - started > START_LIMIT_MS) failed = `not ready after ${START_LIMIT_MS} ms`;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  const available = module.threadsReady();
  if (failed === undefined) return { available };
  return { available, reason: 'helpers-failed', detail: failed };
}

/** Makes this worker a helper. */
export function help(module: ThreadedModule, { module: compiled, memory }: HelpMessage): void {
  module.initSync({ module: compiled, memory, thread_stack_size: STACK_BYTES });
  module.help();
}
