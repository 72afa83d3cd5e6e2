/**
 * The system's Chromium, driven by playwright-core: no browser is downloaded.
 * `CHROMIUM` names another executable.
 */
import { execFileSync } from 'node:child_process';
import { chromium, type Browser, type Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

function executable(): string {
  if (process.env['CHROMIUM']) return process.env['CHROMIUM'];
  for (const name of NAMES) {
    try {
      return execFileSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
    } catch {
      continue;
    }
  }
  throw new Error(`No Chromium: none of ${NAMES.join(', ')} is installed and CHROMIUM is not set`);
}

export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: executable(),
    timeout: 90_000,
    args: [
      '--no-sandbox', // for root, as in containers
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** Collects what a page reports as uncaught. Monaco cancels its own promises that way; those are left out. */
export function uncaughtErrors(page: Page): string[] {
  const errors: string[] = [];
  page.on('pageerror', (error) => {
    if (!/^Canceled/.test(error.message)) errors.push(String(error));
  });
  // CodeMirror writes what an extension throws to the console.
  page.on('console', (message) => {
    if (message.type() === 'error' && /CodeMirror/.test(message.text())) errors.push(message.text());
  });
  return errors;
}
