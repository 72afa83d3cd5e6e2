/** Headless Chromium: from $CHROMIUM, else the first known name on the PATH. */
import { execFileSync } from 'node:child_process';

const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];

function chromiumPath() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  for (const name of ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']) {
    try {
      return execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
    } catch {
      // not under this name
    }
  }
  throw new Error('no Chromium found: install it or set CHROMIUM to its path');
}

/** One browser for a run; every part of the benchmark gets pages of its own. */
export async function launch(origin) {
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({ executablePath: chromiumPath(), timeout: 60_000, args: ARGS });
  return {
    version: `Chromium ${browser.version()}`,
    close: () => browser.close(),
    /** A new page, of another server if one is named. `call(module, function, ...arguments)` calls what a file of `page/` exports. */
    async open(from = origin) {
      const page = await browser.newPage();
      page.setDefaultTimeout(0);
      page.on('pageerror', (error) => console.error(`page: ${error.message}`));
      await page.goto(`${from}/index.html`);
      const call = (module, name, ...args) =>
        page.evaluate(async ([m, n, a]) => (await import(`/${m}.js`))[n](...a), [module, name, args]);
      return { page, call, close: () => page.close() };
    },
  };
}
