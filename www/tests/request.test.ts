/** Arguments of the wrong kind: always a typed error, never a surprise. */
import { describe, expect, it } from 'vitest';
import { completionRequest, modelSource } from '../src/client/request.js';
import type { CompleteOptions, CompleterOptions } from '../src/client/types.js';

describe('complete()', () => {
  const wrong: [string, unknown[], string][] = [
    ['numbers', [1, 2], 'the number 1'],
    ['nothing', [], 'undefined'],
    ['null', ['', null], 'null'],
    ['a boxed string', [Object('text'), ''], 'String'],
    ['null options', ['', '', null], 'null'],
    ['no tokens', ['', '', { maxNewTokens: 0 }], 'the number 0'],
    ['half a token', ['', '', { maxNewTokens: 1.5 }], 'the number 1.5'],
    ['a width in words', ['', '', { beamWidth: 'two' }], '"two"'],
    ['a count beyond all bounds', ['', '', { maxSuggestions: Infinity }], 'the number Infinity'],
    ['an unknown format', ['', '', { format: 'fim' }], '"fim"'],
    ['less than no time', ['', '', { timeBudgetMs: -1 }], 'the number -1'],
    ['time that is no number', ['', '', { timeBudgetMs: NaN }], 'the number NaN'],
    ['healing in words', ['', '', { healing: 'yes' }], '"yes"'],
    ['no lines', ['', '', { maxLines: 0 }], 'the number 0'],
    ['a score above all', ['', '', { minScore: 0.5 }], 'the number 0.5'],
    ['a score that is no number', ['', '', { minScore: NaN }], 'the number NaN'],
    ['a score of another type', ['', '', { minScore: '-1' }], '"-1"'],
    ['filters as a switch', ['', '', { filters: true }], 'boolean'],
    ['a filter in words', ['', '', { filters: { secrets: 'on' } }], '"on"'],
    ['a controller for a signal', ['', '', { signal: new AbortController() }], 'AbortController'],
    ['a path in parts', ['', '', { path: ['a', 'b'] }], 'Array'],
  ];
  it.each(wrong)('refuses %s', (_, args, found) => {
    const call = (): unknown => completionRequest(...(args as [string, string, CompleteOptions]));
    expect(call).toThrow(expect.objectContaining({ name: 'MidlineError', code: 'request-invalid', found }));
  });

  it('sends only what was given', () => {
    expect(completionRequest('a', 'b')).toEqual({ prefix: 'a', suffix: 'b' });
    const { signal } = new AbortController();
    const filters = { emails: false, unknown: 1 };
    const options: CompleteOptions = {
      ...{ languageId: 'rust', beamWidth: 2, format: 'spm' as const, timeBudgetMs: 0, signal },
      ...{ healing: false, maxLines: 8, minScore: -1.5, filters },
    };
    expect(completionRequest('', '', options)).toEqual({
      prefix: '',
      suffix: '',
      languageId: 'rust',
      beamWidth: 2,
      format: 'spm',
      timeBudgetMs: 0,
      healing: false,
      maxLines: 8,
      minScore: -1.5,
      filters: { emails: false },
    });
  });
});

describe('createCompleter()', () => {
  const wrong: [string, unknown][] = [
    ['no options', undefined],
    ['no model', {}],
    ['a number for a model', { model: 7 }],
    ['a view for a buffer', { model: new Uint8Array(4) }],
    ['a string that is no URL', { model: 'http://' }],
    ['a progress that is no function', { model: 'https://m.test/', onProgress: true }],
    ['no threads', { model: 'https://m.test/', threads: 0 }],
    ['an unknown preferred format', { model: 'https://m.test/', preferredFormat: 'auto' }],
    ['an unknown variant', { model: 'https://m.test/', variant: 'avx512' }],
    ['a worker in place of a function', { model: 'https://m.test/', createWorker: {} }],
    ['one address for all builds', { model: 'https://m.test/', wasmUrls: 'engine.wasm' }],
  ];
  it.each(wrong)('refuses %s', (_, options) => {
    expect(() => modelSource(options as CompleterOptions)).toThrow(
      expect.objectContaining({ name: 'MidlineError', code: 'request-invalid' }),
    );
  });

  it('takes URLs, files and buffers', () => {
    expect(modelSource({ model: 'https://m.test/a b.gguf' })).toEqual({
      kind: 'url',
      url: 'https://m.test/a%20b.gguf',
    });
    expect(modelSource({ model: new URL('https://m.test/x') })).toEqual({
      kind: 'url',
      url: 'https://m.test/x',
    });
    const blob = new Blob(['GGUF']);
    expect(modelSource({ model: blob as File })).toEqual({ kind: 'blob', blob });
    expect(modelSource({ model: new ArrayBuffer(3) })).toMatchObject({ kind: 'blob', blob: { size: 3 } });
  });
});
