// Reads wasm-pack.toml into variants, and turns a variant into the exact commands that build it.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

// The one npm project of the repository is www/, so its packages are looked up from there.
const { parse } = createRequire(path.resolve('www/package.json'))('smol-toml');

const FIELDS = {
  name: (v) => typeof v === 'string' && /^[a-z0-9-]+$/.test(v),
  'target-features': (v) => typeof v === 'string' && /^\+[a-z0-9-]+(,\+[a-z0-9-]+)*$/.test(v),
  'cargo-features': isStrings,
  output: (v) => typeof v === 'string' && v.startsWith('www/src/wasm/') && !v.includes('..'),
  'max-brotli-bytes': (v) => Number.isInteger(v) && v > 0,
};

function isStrings(value) {
  return Array.isArray(value) && value.every((v) => typeof v === 'string' && /^[a-z0-9-]+$/.test(v));
}

function checkVariant(table) {
  for (const [field, valid] of Object.entries(FIELDS)) {
    if (!valid(table[field])) throw new Error(`variant ${table.name ?? '?'}: ${field} is ${JSON.stringify(table[field])}`);
  }
  for (const field of Object.keys(table)) {
    if (!(field in FIELDS)) throw new Error(`variant ${table.name}: unknown field ${field}`);
  }
}

/** The variants to build; a wrong or unknown field is an error, because a misspelt one would be ignored in silence. */
export function readManifest(file, conformance) {
  const manifest = parse(readFileSync(file, 'utf8'));
  const tables = manifest.variant ?? [];
  tables.forEach(checkVariant);
  if (typeof manifest.profile !== 'string') throw new Error(`profile is ${JSON.stringify(manifest.profile)}`);
  const extra = manifest.conformance;
  if (conformance && !(isStrings(extra?.['cargo-features']) && FIELDS.output(extra?.output))) {
    throw new Error('[conformance] needs cargo-features and output');
  }
  return tables.map((table) => ({
    name: table.name,
    profile: manifest.profile,
    targetFeatures: table['target-features'],
    cargoFeatures: conformance ? [...table['cargo-features'], ...extra['cargo-features']] : table['cargo-features'],
    output: conformance ? `${extra.output}/${table.name}` : table.output,
    scratch: `.cache/wasm/${conformance ? 'conformance-' : ''}${table.name}`,
    maxBrotliBytes: conformance ? undefined : table['max-brotli-bytes'],
  }));
}

/** Atomics change the ABI of everything compiled, so threaded builds get a target folder of their own. */
function isThreaded(variant) {
  return variant.targetFeatures.split(',').includes('+atomics');
}

/**
 * What a threaded module needs from the linker; rustc adds none of it by itself. Left out, the first line links a memory
 * that is silently private and the others fail in wasm-bindgen. The maximum is all that 32 bits can address: the engine
 * keeps to its own limit, and a browser that cannot reserve so much gets a build without threads.
 */
const THREAD_LINK_ARGS = [
  ...['--shared-memory', '--import-memory', '--max-memory=4294967296'],
  ...['__wasm_init_tls', '__tls_size', '__tls_align', '__tls_base'].map((name) => `--export=${name}`),
];

/** Debian's compiler has no precompiled wasm32 library: cargo builds one, which needs the unstable gate lifted. */
function toolchain(env, threaded) {
  const buildStd = ['-Z', 'build-std=std,panic_abort'];
  if (env.MIDLINE_WASM_KIND === 'debian') {
    return {
      args: buildStd,
      env: { RUSTC: env.MIDLINE_WASM_RUSTC, RUSTC_BOOTSTRAP: '1', CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER: 'wasm-ld-19' },
    };
  }
  return threaded ? { args: buildStd, env: { RUSTC_BOOTSTRAP: '1' } } : { args: [], env: {} };
}

export function commandsFor(variant, env) {
  const threaded = isThreaded(variant);
  const dir = threaded ? 'target/wasm-threads' : 'target/wasm';
  const chain = toolchain(env, threaded);
  const scratch = variant.scratch;
  const taken = `${scratch}/linked.wasm`;
  const optimised = `${scratch}/optimised.wasm`;
  return {
    cargo: {
      program: env.MIDLINE_WASM_CARGO ?? 'cargo',
      args: [
        ...['rustc', '--locked', '--lib', '--crate-type', 'cdylib', '--target', 'wasm32-unknown-unknown'],
        ...['--profile', variant.profile, '--no-default-features', '--features', variant.cargoFeatures.join(',')],
        ...chain.args,
        ...(threaded ? ['--', ...THREAD_LINK_ARGS.flatMap((arg) => ['-C', `link-arg=${arg}`])] : []),
      ],
      env: {
        CARGO_TARGET_DIR: dir,
        CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS: `-C target-feature=${variant.targetFeatures}`,
        ...chain.env,
      },
    },
    linked: `${dir}/wasm32-unknown-unknown/${variant.profile}/midline.wasm`,
    taken,
    bindgen: { program: env.MIDLINE_BINDGEN ?? 'midline-bindgen', args: [taken, scratch, 'midline'], env: {} },
    opt: {
      program: 'www/node_modules/.bin/wasm-opt',
      args: [
        ...['-O3', '--strip-debug', '--strip-producers'],
        ...['simd', 'relaxed-simd', 'bulk-memory', 'nontrapping-float-to-int', 'sign-ext', 'mutable-globals', 'reference-types', 'multivalue'].map(
          (feature) => `--enable-${feature}`,
        ),
        ...(threaded ? ['--enable-threads'] : []),
        ...[`${scratch}/midline_bg.wasm`, '-o', optimised],
      ],
      env: {},
    },
    optimised,
  };
}
