/**
 * Builds the playground into dist-playground/, from the built package: the page
 * is a consumer like any other, and so tests that bundlers find worker and wasm.
 */
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

/** Puts the manifest and the model to start with beside the page; larger models stay where they are. */
function copyModels(): Plugin {
  const models = process.env['MIDLINE_MODELS'] ?? path('../models');
  return {
    name: 'midline-models',
    closeBundle() {
      const target = path('dist-playground/models');
      mkdirSync(target, { recursive: true });
      const text = readFileSync(`${models}/manifest.json`, 'utf8');
      const manifest = JSON.parse(text) as { default: string; models: { id: string; file: string }[] };
      const first = manifest.models.find((model) => model.id === manifest.default);
      if (!first) throw new Error(`models/manifest.json: no model has the default id "${manifest.default}"`);
      for (const file of ['manifest.json', first.file]) cpSync(`${models}/${file}`, `${target}/${file}`);
    },
  };
}

export default defineConfig({
  root: path('src/playground'),
  base: './',
  resolve: {
    alias: [
      { find: /^midline$/, replacement: path('dist/index.js') },
      { find: /^midline\/monaco$/, replacement: path('dist/monaco/index.js') },
      { find: /^midline\/store$/, replacement: path('dist/store/index.js') },
      { find: /^midline\/codemirror$/, replacement: path('dist/codemirror/index.js') },
    ],
  },
  worker: { format: 'es' },
  build: {
    outDir: path('dist-playground'),
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0, // data: URLs would need a wider content security policy
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 4000,
  },
  plugins: [copyModels()],
});
