/** The plain SIMD build in Node, against the native build: the same tokens for the same text. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ByteSource, Engine, EngineModule } from '../../www/src/client/engine.js';
import { BOOT, completeNatively, modelFile, repository } from './native.js';
import { BEAM_PROMPTS, comparable, PROMPTS } from './prompts.js';

const directory = join(repository, 'www/src/wasm/simd128');
let module: EngineModule & { variant(): string };
let engine: Engine;

function sourceOf(bytes: Uint8Array): ByteSource {
  return {
    size: bytes.length,
    read(offset, into) {
      const part = bytes.subarray(offset, offset + into.length);
      if (part.length < into.length) throw new RangeError(`no bytes at ${offset}`);
      into.set(part);
    },
  };
}

const goOn = (): Promise<boolean> => new Promise((resolve) => setImmediate(() => resolve(true)));

beforeAll(async () => {
  const generated = (await import(pathToFileURL(join(directory, 'midline.js')).href)) as typeof module & {
    default(options: { module_or_path: Uint8Array }): Promise<unknown>;
  };
  await generated.default({ module_or_path: readFileSync(join(directory, 'midline_bg.wasm')) });
  module = generated;
  engine = module.Engine.load(sourceOf(readFileSync(modelFile(BOOT))), {});
});

describe('wasm in Node', () => {
  it('is the plain build and tells of its model', () => {
    expect(module.variant()).toBe('simd128');
    expect(engine.info()).toMatchObject({ architecture: 'llama', vocabSize: 8192, contextTokens: 512 });
  });

  it.each(PROMPTS.map((request, i) => [i, request] as const))(
    'answers prompt %i as the native build',
    async (_, request) => {
      expect(comparable(await engine.complete(request, goOn))).toEqual(comparable(completeNatively(request)));
    },
  );

  it.each(BEAM_PROMPTS.map((request, i) => [i, request] as const))(
    'answers prompt %i with several beams as the native build',
    async (_, request) => {
      const answer = comparable(await engine.complete(request, goOn));
      expect(answer).toEqual(comparable(completeNatively(request)));
      expect(answer.suggestions.length + answer.dropped.length).toBeGreaterThan(0);
      expect(new Set(answer.suggestions.map(({ text }) => text)).size).toBe(answer.suggestions.length);
    },
  );

  it('shows the model the path', async () => {
    const [request] = BEAM_PROMPTS;
    if (!request) throw new Error('no prompt');
    const { path: _, ...without } = request;
    const tokens = (await engine.complete(request, goOn)).stats.promptTokens;
    expect(tokens).toBeGreaterThan((await engine.complete(without, goOn)).stats.promptTokens);
  });

  it('takes the preferred format for auto, and refuses what it is not', async () => {
    const model = sourceOf(readFileSync(modelFile(BOOT)));
    const request = { prefix: 'def f(x):\n    return ', suffix: '\n' };
    const preferring = module.Engine.load(model, { preferredFormat: 'prefix' });
    const { stats } = await preferring.complete(request, goOn);
    expect(stats).toMatchObject({ format: 'prefix', formatReason: 'preferred', suffixTokens: 0 });
    preferring.free();
    expect((await engine.complete(request, goOn)).stats.formatReason).toBe('vocabulary');
    for (const preferredFormat of ['fim', 7]) {
      const options = { preferredFormat } as object;
      expect(() => module.Engine.load(model, options)).toThrow(
        expect.objectContaining({ code: 'request-invalid' }),
      );
    }
  });

  it('answers the same whatever was asked before', async () => {
    const cold = module.Engine.load(sourceOf(readFileSync(modelFile(BOOT))), {});
    for (const request of [...PROMPTS].reverse()) {
      const warm = await engine.complete(request, goOn);
      const again = await engine.complete(request, goOn);
      expect(comparable(again)).toEqual(comparable(warm));
      expect(again.stats.reusedTokens).toBe(Math.max(0, again.stats.promptTokens - 1));
      expect(comparable(await cold.complete(request, goOn))).toEqual(comparable(warm));
    }
    cold.free();
  });

  it('stops at a pause that says so, and works on', async () => {
    const [request] = PROMPTS;
    if (!request) throw new Error('no prompt');
    const before = comparable(await engine.complete(request, goOn));
    const long = { ...request, prefix: 'value = 1\n'.repeat(300) };
    for (const pauses of [1, 2, 5]) {
      let left = pauses;
      await expect(engine.complete(long, async () => --left > 0)).rejects.toMatchObject({ code: 'aborted' });
      expect(left).toBe(0);
      expect(comparable(await engine.complete(request, goOn))).toEqual(before);
    }
  });

  it('refuses a second completion while one runs', async () => {
    const [request] = PROMPTS;
    if (!request) throw new Error('no prompt');
    const first = engine.complete(request, goOn);
    await expect(engine.complete(request, goOn)).rejects.toMatchObject({ code: 'busy' });
    await first;
  });
});
