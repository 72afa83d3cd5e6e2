/** What a page loads on its own thread stays small. The worker and the engine are not part of it. */
import { fileURLToPath } from 'node:url';
import { brotliCompressSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';

const MAX_BROTLI_BYTES = 15_000;

it('the client is at most 15 kB after brotli, unminified', async () => {
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const bundle = await rolldown({
    cwd,
    input: 'src/index.ts',
    platform: 'browser',
    tsconfig: 'tsconfig.json',
  });
  const { output } = await bundle.generate({ format: 'esm' });
  await bundle.close();
  const code = output.flatMap((part) => (part.type === 'chunk' ? [part.code] : []));
  expect(code.join('')).toContain('createCompleter');
  expect(code.join('')).not.toContain('__wbindgen'); // the generated code around the engine
  const brotli = code.reduce((sum, text) => sum + brotliCompressSync(text).length, 0);
  expect(brotli).toBeGreaterThan(1_000);
  expect(brotli).toBeLessThanOrEqual(MAX_BROTLI_BYTES);
});
