/**
 * Three browser engines behind one narrow interface, so that one test body runs in each: Chromium and Firefox by
 * playwright-core (Debian's own builds, nothing is downloaded), WebKitGTK by WebDriver.
 */
import { execFileSync } from 'node:child_process';
import { firefox, type Browser } from 'playwright-core';
import { launch } from './browser.js';
import { launchWebKit } from './webkit.js';

/** A page as these tests use it. */
export interface TestPage {
  goto(url: string): Promise<void>;
  /** Runs in the page; argument and result are JSON. */
  evaluate<R, A>(script: (argument: A) => R | Promise<R>, argument: A): Promise<R>;
  click(selector: string): Promise<void>;
  /** Types with real keys; a line feed is Enter. */
  type(text: string): Promise<void>;
  /** Presses keys together: `press('Control', 'a')`. */
  press(...keys: string[]): Promise<void>;
  close(): Promise<void>;
}

export interface Engine {
  readonly name: EngineName;
  readonly version: string;
  open(): Promise<TestPage>;
  close(): Promise<void>;
}

export type EngineName = 'chromium' | 'firefox' | 'webkit';
export const ENGINES: readonly EngineName[] = ['chromium', 'firefox', 'webkit'];

/** A program that the environment names, or that is on the path. */
function find(variable: string, name: string): string | undefined {
  const named = process.env[variable];
  if (named) return named;
  try {
    return execFileSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

const programs = {
  firefox: find('FIREFOX', 'firefox-esr'),
  driver: find('WEBKIT_DRIVER', 'WebKitWebDriver'),
  xvfb: find('XVFB', 'Xvfb'),
};

/** What is missing for an engine, in words, or `undefined`. Chromium is needed by everything. */
export function missing(name: EngineName): string | undefined {
  if (name === 'firefox' && !programs.firefox) return 'firefox-esr is not installed';
  if (name === 'webkit' && !programs.driver) return 'WebKitWebDriver (webkit2gtk-driver) is not installed';
  if (name === 'webkit' && !programs.xvfb) return 'Xvfb is not installed';
  return undefined;
}

/** Starts an engine. The caller closes it. */
export async function launchEngine(name: EngineName): Promise<Engine> {
  const { firefox: executablePath, driver, xvfb } = programs;
  if (name === 'chromium') return byPlaywright(name, await launch());
  if (name === 'webkit' && driver && xvfb) return launchWebKit({ driver, xvfb });
  if (name === 'firefox' && executablePath) {
    // With a channel playwright speaks to Firefox itself instead of to a patched build.
    return byPlaywright(
      name,
      await firefox.launch({ channel: 'moz-firefox', executablePath, timeout: 60_000 }),
    );
  }
  throw new Error(missing(name));
}

function byPlaywright(name: EngineName, browser: Browser): Engine {
  return {
    name,
    version: browser.version(),
    close: () => browser.close(),
    async open() {
      const page = await browser.newPage();
      return {
        goto: async (url) => void (await page.goto(url)),
        evaluate: (script, argument) => page.evaluate(script as never, argument as never),
        click: (selector) => page.click(selector),
        type: (text) => page.keyboard.type(text, { delay: 10 }),
        press: (...keys) => page.keyboard.press(keys.join('+')),
        close: () => page.close(),
      };
    },
  };
}

/** Asks until the answer is right; `script` runs in the page. */
export async function until<A>(
  page: TestPage,
  script: (argument: A) => boolean,
  argument: A,
  timeoutMs = 30_000,
): Promise<void> {
  for (const end = Date.now() + timeoutMs; ;) {
    if (await page.evaluate(script, argument)) return;
    if (Date.now() > end) throw new Error(`In ${timeoutMs} ms it did not become true: ${String(script)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
