// Builds the WebAssembly variants listed in wasm-pack.toml: cargo, then wasm-bindgen, then wasm-opt, then the size budget.
//
//   build-wasm [--conformance] [--only NAME] [--force] [--print] [--manifest FILE]
//
// --conformance adds the kernel self-test and writes to its own folder; --print writes the commands as JSON and runs none.
// A variant whose inputs (sources, manifests, tools, commands) are unchanged since its last build is left alone.

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { brotliCompressSync, constants } from 'node:zlib';
import { commandsFor, readManifest } from './wasm-manifest.mjs';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
process.chdir(ROOT);

function fail(message) {
  console.error(`build-wasm: error: ${String(message).split('\n')[0]}`);
  process.exit(1);
}

/** Every file whose content the module depends on, in a fixed order. */
function inputFiles() {
  const sources = readdirSync('src', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
  const manifests = ['Cargo.toml', 'Cargo.lock', 'build.rs', '.cargo/config.toml', 'www/node_modules/binaryen/package.json'];
  return [...sources.sort(), ...manifests.filter((file) => existsSync(file))];
}

/** One number for "would a build now give the same files?". */
function fingerprint(commands, compiler) {
  const hash = createHash('sha256');
  for (const file of inputFiles()) hash.update(`${file}\0`).update(readFileSync(file)).update('\0');
  return hash.update(compiler).update(JSON.stringify(commands)).digest('hex');
}

function run({ program, args, env }) {
  const done = spawnSync(program, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  if (done.error) fail(`${program}: ${done.error.message}`);
  if (done.status !== 0) fail(`${path.basename(program)} ended with status ${done.status ?? done.signal}`);
}

function brotliBytes(file) {
  const bytes = readFileSync(file);
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 22 } }).length;
}

/** Builds one variant into a scratch folder and moves it into place only when complete. */
function build(variant, commands) {
  const scratch = variant.scratch;
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  run(commands.cargo);
  // Both single-thread variants link to the same path, so it is taken away before the next one overwrites it.
  copyFileSync(commands.linked, commands.taken);
  run(commands.bindgen);
  run(commands.opt);
  const module = path.join(scratch, 'midline_bg.wasm');
  renameSync(commands.optimised, module);
  rmSync(commands.taken);
  const size = { bytes: statSync(module).size, brotli: brotliBytes(module) };
  rmSync(variant.output, { recursive: true, force: true });
  mkdirSync(path.dirname(variant.output), { recursive: true });
  renameSync(scratch, variant.output);
  return size;
}

const { values: options } = parseArgs({
  options: {
    conformance: { type: 'boolean', default: false },
    force: { type: 'boolean', default: false },
    print: { type: 'boolean', default: false },
    only: { type: 'string' },
    manifest: { type: 'string', default: 'wasm-pack.toml' },
  },
});

let variants;
try {
  variants = readManifest(options.manifest, options.conformance);
} catch (error) {
  fail(`${options.manifest}: ${error.message}`);
}
if (options.only) variants = variants.filter((variant) => variant.name === options.only);
if (variants.length === 0) fail(`${options.manifest} lists no variant ${options.only ?? ''}`);
const plans = variants.map((variant) => ({ variant, commands: commandsFor(variant, process.env) }));

if (options.print) {
  console.log(JSON.stringify(plans, null, 2));
  process.exit(0);
}

const compiler = execFileSync(process.env.MIDLINE_WASM_RUSTC ?? 'rustc', ['-vV'], { encoding: 'utf8' });
for (const { variant, commands } of plans) {
  const label = options.conformance ? `${variant.name} (conformance)` : variant.name;
  const stamp = path.join(variant.output, '.inputs');
  const inputs = fingerprint({ variant, commands }, compiler);
  if (!options.force && existsSync(stamp) && readFileSync(stamp, 'utf8') === inputs) {
    console.log(`build-wasm: ${label}: unchanged`);
    continue;
  }
  const started = performance.now();
  const size = build(variant, commands);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`build-wasm: ${label}: ${size.bytes} bytes, ${size.brotli} after brotli, ${seconds} s`);
  if (variant.maxBrotliBytes !== undefined && size.brotli > variant.maxBrotliBytes) {
    fail(`${label}: ${size.brotli} bytes after brotli, the budget in ${options.manifest} is ${variant.maxBrotliBytes}`);
  }
  writeFileSync(stamp, inputs);
}
