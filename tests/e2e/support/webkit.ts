/**
 * WebKitGTK by WebDriver: `WebKitWebDriver` starts MiniBrowser, which needs a display, so Xvfb gives one. A plain
 * HTTP client is enough; the driver has neither a console nor a network log.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Engine, TestPage } from './engines.js';

const LAUNCH_MS = 60_000;
const SCRIPT_MS = 60_000;

/** Keys that have no character, as WebDriver writes them. */
const KEYS: Record<string, string> = { Tab: '\uE004', Enter: '\uE007', Escape: '\uE00C', Control: '\uE009' };

/** Starts a program in a process group of its own, which ends with this process at the latest. */
function start(program: string, args: string[], env: NodeJS.ProcessEnv, stdio: 'driver' | 'display') {
  const child = spawn(program, args, {
    env,
    detached: true,
    stdio: stdio === 'display' ? ['ignore', 'ignore', 'ignore', 'pipe'] : ['ignore', 'ignore', 'inherit'],
  });
  const stop = (): void => {
    process.off('exit', stop);
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
    } catch {
      // it is gone already
    }
  };
  process.on('exit', stop);
  return { child, stop };
}

/** Rejects when the program cannot be started or ends. */
async function gone(child: ChildProcess, program: string): Promise<never> {
  const [reason] = (await Promise.race([once(child, 'exit'), once(child, 'error')])) as unknown[];
  throw new Error(`${program} ended: ${String(reason)}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

export async function launchWebKit(programs: { driver: string; xvfb: string }): Promise<Engine> {
  const screen = ['-screen', '0', '1280x900x24', '-nolisten', 'tcp'];
  const display = start(programs.xvfb, ['-displayfd', '3', ...screen], process.env, 'display');
  let driver: ReturnType<typeof start> | undefined;
  const stop = (): void => {
    driver?.stop();
    display.stop();
  };
  try {
    const pipe = display.child.stdio[3] as NodeJS.ReadableStream;
    const [number] = (await Promise.race([once(pipe, 'data'), gone(display.child, 'Xvfb')])) as [Buffer];
    const port = await freePort();
    const env = { ...process.env, DISPLAY: `:${String(number).trim()}` };
    driver = start(programs.driver, [`--port=${port}`], env, 'driver');
    const failed = gone(driver.child, 'WebKitWebDriver');
    failed.catch(() => undefined);
    const session = await Session.open(`http://127.0.0.1:${port}`, failed);
    return {
      name: 'webkit',
      version: session.version,
      open: () => Promise.resolve(session),
      async close() {
        await session.quit();
        stop();
      },
    };
  } catch (error) {
    stop();
    throw error;
  }
}

/** The session's only window is the page of all tests: `close` leaves it empty. */
class Session implements TestPage {
  private constructor(
    private readonly address: string,
    readonly version: string,
  ) {}

  static async open(server: string, failed: Promise<never>): Promise<Session> {
    const end = Date.now() + LAUNCH_MS;
    for (;;) {
      const ready = await Promise.race([call(server, 'GET', '/status').catch(() => undefined), failed]);
      if (ready) break;
      if (Date.now() > end) throw new Error('WebKitWebDriver does not answer');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const created = await call(server, 'POST', '/session', { capabilities: { alwaysMatch: {} } });
    const { sessionId, capabilities } = created as {
      sessionId: string;
      capabilities: { browserVersion?: string };
    };
    const session = new Session(`${server}/session/${sessionId}`, capabilities.browserVersion ?? 'unknown');
    await session.#call('POST', '/timeouts', { script: SCRIPT_MS, pageLoad: LAUNCH_MS });
    return session;
  }

  async goto(url: string): Promise<void> {
    await this.#call('POST', '/url', { url });
  }

  async evaluate<R, A>(script: (argument: A) => R | Promise<R>, argument?: A): Promise<R> {
    // The driver waits for the last argument to be called; what is thrown comes back as text.
    const wrapped = `const [argument, done] = arguments;
      Promise.resolve().then(() => (${String(script)})(argument)).then(
        (value) => done({ value }),
        (error) => done({ error: String(error) }));`;
    const args = [argument ?? null];
    const answer = (await this.#call('POST', '/execute/async', { script: wrapped, args })) as {
      value: R;
      error?: string;
    };
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.value;
  }

  async click(selector: string): Promise<void> {
    const found = await this.#call('POST', '/element', { using: 'css selector', value: selector });
    const [id] = Object.values(found as Record<string, string>);
    await this.#call('POST', `/element/${id}/click`, {});
  }

  async type(text: string): Promise<void> {
    for (const value of text) await this.#keys([value === '\n' ? (KEYS['Enter'] as string) : value]);
  }

  press(...keys: string[]): Promise<void> {
    return this.#keys(keys.map((key) => KEYS[key] ?? key));
  }

  /** Presses keys in order, then lets go of them in reverse. */
  async #keys(values: string[]): Promise<void> {
    const down = values.map((value) => ({ type: 'keyDown', value }));
    const up = values.toReversed().map((value) => ({ type: 'keyUp', value }));
    await this.#call('POST', '/actions', {
      actions: [{ type: 'key', id: 'keys', actions: [...down, ...up] }],
    });
  }

  close(): Promise<void> {
    return this.goto('about:blank');
  }

  async quit(): Promise<void> {
    await this.#call('DELETE', '').catch(() => undefined);
  }

  #call(method: string, path: string, body?: object): Promise<unknown> {
    return call(this.address, method, path, body);
  }
}

async function call(server: string, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(server + path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { value } = (await response.json()) as { value: unknown };
  const { error, message } = (value ?? {}) as { error?: string; message?: string };
  if (error !== undefined) throw new Error(`WebDriver, ${method} ${path}: ${error}: ${message}`);
  return value;
}
