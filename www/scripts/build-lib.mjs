/**
 * Builds the package into dist/. The layout mirrors src/, because `new URL(..., import.meta.url)` is left as
 * written: it works in a plain module script and bundlers know it. Entries are read from `exports` of package.json
 * and the engine's builds from wasm-pack.toml, so that a further one of either is written down once.
 */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { parse } from 'smol-toml';

const www = fileURLToPath(new URL('..', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));
/** What runs in a worker becomes a self-contained script: one request, and free to be served from anywhere. */
const workers = readdirSync(`${www}src/client`)
  .filter((file) => /\bworker\.ts$/.test(file))
  .map((file) => `client/${file.slice(0, -'.ts'.length)}`);

const { exports } = JSON.parse(readFileSync(`${www}package.json`, 'utf8'));
const entries = Object.values(exports).flatMap((target) =>
  target.import ? [target.import.replace(/^\.\/dist\/(.*)\.js$/, '$1')] : [],
);
const pages = entries.filter((entry) => !workers.includes(entry));

const variants = parse(readFileSync(`${root}wasm-pack.toml`, 'utf8')).variant.map(({ output }) => output);
for (const folder of variants) {
  if (!existsSync(`${root}${folder}/midline_bg.wasm`)) {
    console.error(`The engine is not built: ${folder} is missing. Run .ci/build-wasm first.`);
    process.exit(1);
  }
}

rmSync(`${www}dist`, { recursive: true, force: true });

const common = { cwd: www, platform: 'browser', tsconfig: 'tsconfig.json', external: /^(?!@noble\/)[^./]/ };
const output = { dir: `${www}dist`, format: 'esm', entryFileNames: '[name].js', sourcemap: true };
async function build(names, options) {
  const input = Object.fromEntries(names.map((name) => [name, `src/${name}.ts`]));
  const bundle = await rolldown({ ...common, input });
  await bundle.write({ ...output, ...options });
  await bundle.close();
}

// What entries share goes by rooms, so that the files have the same names in every version.
await build(pages, {
  chunkFileNames: '[name].js',
  codeSplitting: {
    groups: ['client', 'editor'].map((room) => ({ name: `${room}/core`, test: `/src/${room}/` })),
  },
});
for (const name of workers) await build([name], { codeSplitting: false });

for (const folder of variants) {
  const target = `${www}dist/${folder.replace('www/src/', '')}`;
  mkdirSync(target, { recursive: true });
  copyFileSync(`${root}${folder}/midline_bg.wasm`, `${target}/midline_bg.wasm`);
}

writeFileSync(
  `${www}dist/wasm/url.d.ts`,
  '/** The address of a build, as the loader "file" of bundlers gives it. */\ndeclare const url: string;\nexport default url;\n',
);

const tsc = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  cwd: www,
  stdio: 'inherit',
});
if (tsc.status !== 0) process.exit(tsc.status ?? 1);

// npm takes licence files from the package's own folder only.
for (const file of ['LICENSE-MIT', 'LICENSE-APACHE']) copyFileSync(`${root}${file}`, `${www}${file}`);
