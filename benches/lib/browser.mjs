/** Headless Chromium: from $CHROMIUM, else the first known name on the PATH. */
import { execFileSync } from 'node:child_process';

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

export async function openPage(url) {
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    timeout: 60_000,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  });
  const page = await browser.newPage();
  page.setDefaultTimeout(0);
  page.on('pageerror', (error) => console.error(`page: ${error.message}`));
  await page.goto(url);
  await page.waitForFunction(() => window.bench !== undefined);
  return { page, version: `Chromium ${browser.version()}`, close: () => browser.close() };
}
