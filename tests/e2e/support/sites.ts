/** The two sites under test: the built playground, and a plain page that imports the built package. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import type * as midline from '../../../www/src/client/index.js';
import { PLAYGROUND_MOUNTS, startServer } from '../../../www/scripts/serve.mjs';

export const repository = fileURLToPath(new URL('../../..', import.meta.url));

/** The model that comes with the repository. */
export const MODEL = 'midline-boot-q4_0.gguf';
/** The one that `models/fetch` obtains: large enough that work takes its time. */
export const LARGER_MODEL = 'SmolLM2-135M-Instruct.Q4_1.gguf';

export interface Site {
  readonly url: string;
  close(): Promise<void>;
}

declare global {
  // The package, in the plain page. Evaluated functions run there, not here.
  // eslint-disable-next-line no-var
  var midline: typeof import('../../../www/src/client/index.js');
}
export type Midline = typeof midline;

function need(built: string): void {
  if (!existsSync(repository + built))
    throw new Error(`${built} is missing: run "npm run build" in www/ first`);
}

export function playgroundSite(headers: Record<string, string> = {}): Promise<Site> {
  need('www/dist-playground/index.html');
  return startServer({ mounts: PLAYGROUND_MOUNTS, headers });
}

/** A site with the built package and the models. */
export function packageSite(headers: Record<string, string> = {}): Promise<Site> {
  need('www/dist/index.js');
  return startServer({
    headers,
    mounts: [
      { at: '/dist/', directory: `${repository}www/dist` },
      { at: '/models/', directory: `${repository}models` },
      { at: '/app/', directory: `${repository}tests/e2e/pages` },
    ],
  });
}

/** Opens the plain page and waits until the package is imported. */
export async function openPackagePage(page: Page, site: Site): Promise<void> {
  await page.goto(`${site.url}/app/`);
  await page.waitForFunction(() => 'midline' in globalThis);
}
