/** What the packed package holds: exactly the files it should, maps that point at something, types for every resolver. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { installed, installFresh, tool } from './support/apps.js';
import { repository } from './support/sites.js';

let packedBytes: number;
let files: string[];
const text = (file: string): string => readFileSync(join(installed, file), 'utf8');
beforeAll(() => {
  ({ packedBytes } = installFresh());
  files = readdirSync(installed, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1))
    .sort();
});

interface Manifest {
  readonly exports: Record<string, string | Record<string, string>>;
  readonly sideEffects: readonly string[];
  readonly engines: Record<string, string>;
  readonly peerDependencies: Record<string, string>;
  readonly peerDependenciesMeta: Record<string, { optional: boolean }>;
}
const manifest = (): Manifest => JSON.parse(text('package.json')) as Manifest;

describe('the packed package', () => {
  it('holds the modules, their declarations, maps and sources, the engine, and papers', () => {
    const rooms = ['client', 'codemirror', 'editor', 'monaco', 'store'];
    const allowed = [
      /^(package\.json|README\.md|LICENSE-(APACHE|MIT))$/,
      /^docs\/[a-z]+\.md$/,
      new RegExp(`^src/(index|(${rooms.join('|')})/[a-z-]+(\\.d)?)\\.ts$`),
      new RegExp(`^dist/(index|(${rooms.join('|')})/[a-z-]+)\\.d\\.ts(\\.map)?$`),
      /^dist\/wasm\/url\.d\.ts$/,
    ];
    expect(files.filter((file) => !allowed.some((pattern) => pattern.test(file)))).toEqual(
      [
        'dist/index.js',
        ...modules().flatMap((file) => [file, `${file}.map`]),
        ...variants().map((variant) => `dist/wasm/${variant}/midline_bg.wasm`),
      ].sort(),
    );
    expect(files).toEqual(expect.arrayContaining(['LICENSE-APACHE', 'LICENSE-MIT', 'README.md']));
  });

  /** The modules beside `index.js`: one for each door, and what the doors share. */
  const modules = (): string[] => {
    const doors = Object.values(manifest().exports).flatMap((target) =>
      typeof target === 'object' && target['import'] ? [target['import'].slice(2)] : [],
    );
    const shared = ['client', 'editor']
      .map((room) => `dist/${room}/core.js`)
      .filter((f) => files.includes(f));
    return [...doors.filter((file) => file !== 'dist/index.js'), ...shared];
  };
  const variants = (): string[] =>
    [...readFileSync(`${repository}wasm-pack.toml`, 'utf8').matchAll(/^output = "www\/src\/wasm\/(.*)"$/gm)]
      .map((match) => match[1] as string)
      .filter((name) => name !== 'conformance');

  it('has the size that its README states', () => {
    const stated = /tarball of less than ([\d.]+) MB.*less than ([\d.]+) kB/s.exec(text('README.md'));
    expect(packedBytes / 1e6).toBeLessThan(Number(stated?.[1]));
    // What a page downloads: its code, the worker, one build of the engine.
    const loaded = [...modules().filter((file) => !/codemirror|editor|store/.test(file)), 'dist/index.js'];
    const wasm = variants().map((variant) => `dist/wasm/${variant}/midline_bg.wasm`);
    const bytes = (file: string): Buffer => readFileSync(join(installed, file));
    const largest = wasm.sort((a, b) => bytes(a).length - bytes(b).length).at(-1) as string;
    const total = [...loaded, largest].reduce((sum, file) => sum + brotliCompressSync(bytes(file)).length, 0);
    expect(total / 1e3).toBeLessThan(Number(stated?.[2]));
  });

  it('has maps that lead to sources it holds', () => {
    const maps = files.filter((file) => file.endsWith('.map'));
    expect(maps.length).toBeGreaterThan(10);
    for (const file of maps) {
      const map = JSON.parse(text(file)) as { sources: string[]; sourcesContent?: string[] };
      expect(map.sources.length, file).toBeGreaterThan(0);
      map.sources.forEach((source, i) => {
        // Generated code has no file, but its text lies in the map.
        const there = existsSync(join(installed, dirname(file), source));
        expect(there || map.sourcesContent?.[i], `${file}: ${source}`).toBeTruthy();
      });
      if (/\.d\.ts\.map$/.test(file))
        expect(
          map.sources.every((s) => /\/src\//.test(s)),
          file,
        ).toBe(true);
    }
  });

  it('opens every door on a file, and keeps the worker when a bundler drops what has no effect', () => {
    const { exports, sideEffects, engines, peerDependencies, peerDependenciesMeta } = manifest();
    for (const target of Object.values(exports)) {
      for (const file of typeof target === 'string' ? [target] : Object.values(target)) {
        if (!file.includes('*')) expect(existsSync(join(installed, file)), file).toBe(true);
      }
    }
    expect(Object.keys(exports)).toEqual(expect.arrayContaining(['.', './monaco', './worker']));
    expect(sideEffects).toContain(`./dist/client/worker.js`);
    expect(engines).toHaveProperty('node');
    expect(Object.keys(peerDependenciesMeta)).toEqual(Object.keys(peerDependencies));
    expect(Object.values(peerDependenciesMeta).every(({ optional }) => optional)).toBe(true);
  });
});

it.each(['bundler', 'node16', 'nodenext'])(
  'its types are found and right with moduleResolution %s',
  (kind) => {
    tool('types', 'tsc', '-p', `${kind}.json`);
  },
);
