/**
 * The worker. The only file that imports the generated wasm modules; everything
 * it does with them is in `engine-host.ts`.
 */
import { chooseVariant } from './capabilities.js';
import type { EngineModule } from './engine.js';
import { EngineHost } from './engine-host.js';
import { describe, MidlineError } from './errors.js';
import { openModel } from './model-source.js';
import type { FromWorker, LoadMessage, ToWorker } from './protocol.js';
import type { Variant } from './types.js';
import { help, startHelpers, wantedThreads, type HelpMessage } from './worker-threads.js';

/** The part of a worker's global scope that is used here. */
interface WorkerScope {
  postMessage(message: FromWorker): void;
  onmessage: ((event: MessageEvent<ToWorker | HelpMessage>) => void) | null;
}

const scope = globalThis as unknown as WorkerScope;
const post = (message: FromWorker): void => scope.postMessage(message);

/** The generated code around each build; the package's build puts all of it into the worker's script. */
const GLUE = {
  simd128: () => import('../wasm/simd128/midline.js'),
  relaxed: () => import('../wasm/relaxed/midline.js'),
} satisfies Record<Variant, unknown>;

/** Pages of 64 KiB, 1 GiB in all: for browsers that cannot reserve the 4 GiB that the build asks for. */
const SMALLER_MEMORY = { initial: 64, maximum: 16_384, shared: true };

async function loadModule({ variant: forced, wasmUrls, threads }: LoadMessage): Promise<EngineModule> {
  const variant = chooseVariant(forced);
  const module = await GLUE[variant]().catch(unreachable);
  const url = wasmUrls?.[variant];
  if (!url)
    throw new MidlineError({ code: 'request-invalid', message: `No address of the ${variant} build` });
  const compiled = await compile(await fetchWasm(url)).catch(notCompiled);
  const { memory } = await module
    .default({ module_or_path: compiled })
    .catch((error: unknown) => {
      if (!(error instanceof RangeError)) throw error;
      const memory = new WebAssembly.Memory(SMALLER_MEMORY);
      return module.default({ module_or_path: compiled, memory });
    })
    .catch(notCompiled);
  const message: HelpMessage = { type: 'help', variant, module: compiled, memory };
  const ready = await startHelpers(wantedThreads(threads), module, message);
  return { Engine: module.Engine, threads: ready };
}

/** While it arrives, where the server names the type. */
async function compile(response: Response): Promise<WebAssembly.Module> {
  const type = response.headers.get('content-type') ?? '';
  return type.startsWith('application/wasm')
    ? WebAssembly.compileStreaming(response)
    : WebAssembly.compile(await response.arrayBuffer());
}

function unreachable(error: unknown): never {
  throw new MidlineError({
    code: 'offline',
    message: 'The engine could not be reached',
    expected: 'its files from the server or the browser’s cache',
    found: describe(error),
  });
}

/** A `TypeError` is a connection that broke; anything else is said by the compiler. */
function notCompiled(error: unknown): never {
  if (error instanceof TypeError) unreachable(error);
  throw new MidlineError({
    code: 'unsupported-browser',
    message: 'The engine could not be compiled',
    expected: "WebAssembly with SIMD, and a page policy with 'wasm-unsafe-eval' in script-src",
    found: describe(error),
  });
}

async function fetchWasm(url: string): Promise<Response> {
  const response = await fetch(url).catch(unreachable);
  if (response.ok) return response;
  throw new MidlineError({
    code: 'http-status',
    message: `The server did not give the engine: ${url}`,
    expected: 'status 200',
    found: `status ${response.status}`,
  });
}

/** A turn of the event loop by a message to ourselves: unlike a timer it is not slowed down. */
function turnTaker(): () => Promise<void> {
  const { port1, port2 } = new MessageChannel();
  const waiting: (() => void)[] = [];
  port1.onmessage = () => waiting.shift()?.();
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      port2.postMessage(undefined);
    });
}

const host = new EngineHost({ post, loadModule, openModel, nextTurn: turnTaker() });
scope.onmessage = ({ data }) => {
  if (data.type === 'start') holdLock(data.lockName);
  else if (data.type === 'ping') post({ type: 'alive' });
  else if (data.type === 'help') beHelper(data);
  else host.handle(data);
};

/** What goes wrong becomes an uncaught error: that is what the worker that started this one hears of. */
function beHelper(message: HelpMessage): void {
  GLUE[message.variant]()
    .then((module) => help(module, message))
    .catch((error: unknown) =>
      setTimeout(() => {
        throw error;
      }),
    );
}

/**
 * Holds a lock until the worker is gone, however it went; the page waits for it.
 * Without locks (an insecure page) the worker's errors still tell of most deaths.
 */
function holdLock(name: string): void {
  if (!('locks' in navigator)) return post({ type: 'started', lock: false });
  navigator.locks
    .request(name, () => {
      post({ type: 'started', lock: true });
      return new Promise<never>(() => undefined);
    })
    .catch(() => post({ type: 'started', lock: false }));
}
