/** Three suites: `unit` needs nothing, `wasm` the engine, `e2e` the built package and Chromium. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

// The suites outside www/ have no node_modules above them.
const alias = {
  'playwright-core': path('node_modules/playwright-core/index.mjs'),
  vitest: path('node_modules/vitest'),
};

/** One browser per file and two cores: files run one after the other. */
const inBrowser = { testTimeout: 60_000, hookTimeout: 120_000, fileParallelism: false };

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', root: path('.'), include: ['tests/**/*.test.ts'] } },
      {
        resolve: { alias },
        test: { name: 'wasm', root: path('..'), include: ['tests/wasm/**/*.test.ts'], ...inBrowser },
      },
      {
        resolve: { alias },
        test: { name: 'e2e', root: path('..'), include: ['tests/e2e/**/*.test.ts'], ...inBrowser },
      },
    ],
  },
});
