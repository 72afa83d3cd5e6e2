/**
 * Builds the package into dist/. The layout mirrors src/ (client/worker.js beside
 * client/index.js, the engine under wasm/), and `new URL(..., import.meta.url)`
 * is left as written: it works in a plain module script and every bundler knows it.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const www = fileURLToPath(new URL('..', import.meta.url));
const VARIANTS = ['simd128', 'relaxed'];

for (const variant of VARIANTS) {
  if (!existsSync(`${www}src/wasm/${variant}/midline_bg.wasm`)) {
    console.error(`The engine is not built: www/src/wasm/${variant} is missing. Run .ci/build-wasm first.`);
    process.exit(1);
  }
}

rmSync(`${www}dist`, { recursive: true, force: true });
const bundle = await rolldown({
  cwd: www,
  input: {
    index: 'src/index.ts',
    'client/index': 'src/client/index.ts',
    'client/worker': 'src/client/worker.ts',
    'monaco/index': 'src/monaco/index.ts',
    'codemirror/index': 'src/codemirror/index.ts',
  },
  external: [/\/wasm\/\w+\/midline\.js$/, /^@codemirror\//],
  platform: 'browser',
  tsconfig: 'tsconfig.json',
});
await bundle.write({
  dir: `${www}dist`,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'client/shared-[hash].js',
  sourcemap: true,
});
await bundle.close();

for (const variant of VARIANTS) {
  mkdirSync(`${www}dist/wasm/${variant}`, { recursive: true });
  for (const file of ['midline.js', 'midline_bg.wasm']) {
    copyFileSync(`${www}src/wasm/${variant}/${file}`, `${www}dist/wasm/${variant}/${file}`);
  }
}

const tsc = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  cwd: www,
  stdio: 'inherit',
});
if (tsc.status !== 0) process.exit(tsc.status ?? 1);
