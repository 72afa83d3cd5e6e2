/** The worker's half of the protocol, around an engine that does what the test says. */
import { describe, expect, it } from 'vitest';
import type { Engine, EngineModule } from '../src/client/engine.js';
import { EngineHost } from '../src/client/engine-host.js';
import type { ErrorFields } from '../src/client/errors.js';
import type { FromWorker, ModelSource } from '../src/client/protocol.js';
import { INFO, resultWith } from './support/fake-worker.js';

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
const url = (name: string): ModelSource => ({ kind: 'url', url: `https://models.test/${name}` });

/** An engine of five steps. What happens is told by the names of models and the texts of requests. */
class FakeEngine implements Engine {
  static freed: string[] = [];
  static running = 0;
  static options: unknown;

  constructor(private readonly name: string) {}

  static load(source: { read(offset: number, into: Uint8Array): void }, options: unknown): Engine {
    FakeEngine.options = options;
    const bytes = new Uint8Array(8);
    source.read(0, bytes);
    const name = new TextDecoder().decode(bytes).trim();
    if (name === 'bad') throw { code: 'gguf-magic', message: 'bad model' } satisfies ErrorFields;
    if (name === 'trap') throw new WebAssembly.RuntimeError('unreachable');
    return new FakeEngine(name);
  }

  info() {
    return { ...INFO, name: this.name };
  }

  async complete({ prefix }: { prefix: string }, pause: () => Promise<boolean>) {
    expect(++FakeEngine.running).toBe(1);
    try {
      for (let step = 0; step < 5; step++) {
        if (prefix === 'trap') throw new WebAssembly.RuntimeError('unreachable');
        if (!(await pause())) throw { code: 'aborted', message: 'aborted' } satisfies ErrorFields;
      }
      return resultWith(`${this.name}: ${prefix}`);
    } finally {
      FakeEngine.running--;
    }
  }

  tokenize(text: string) {
    expect(FakeEngine.running).toBe(0);
    return Uint32Array.from(text, (char) => char.charCodeAt(0));
  }

  free() {
    FakeEngine.freed.push(this.name);
  }
}

function started() {
  const posted: FromWorker[] = [];
  const host = new EngineHost({
    post: (message) => posted.push(message),
    loadModule: async () => ({ Engine: FakeEngine, threads: INFO.threads }) as unknown as EngineModule,
    openModel: async (model) => {
      const name = model.kind === 'url' ? (model.url.split('/').at(-1) ?? '') : '';
      if (name === 'missing') throw { code: 'http-status', message: '404' } satisfies ErrorFields;
      const bytes = new TextEncoder().encode(name.padEnd(8));
      return { size: 8, read: (_offset, into) => into.set(bytes) };
    },
    nextTurn: turn,
  });
  FakeEngine.freed = [];
  FakeEngine.running = 0;
  /** Answers by id, once everything that can happen has happened. */
  const answers = async (): Promise<Map<number, FromWorker>> => {
    for (let i = 0; i < 40; i++) await turn();
    const ids = posted.flatMap((message) =>
      'id' in message && message.type !== 'progress' ? [[message.id, message] as const] : [],
    );
    expect(new Set(ids.map(([id]) => id)).size).toBe(ids.length); // one answer each
    return new Map(ids);
  };
  return { host, posted, answers };
}

const complete = (id: number, prefix: string) =>
  ({ type: 'complete', id, request: { prefix, suffix: '' } }) as const;

describe('the order of work', () => {
  it('keeps requests until the model is there', async () => {
    const { host, answers } = started();
    host.handle({ type: 'load', id: 1, model: url('one'), preferredFormat: 'psm' });
    host.handle(complete(2, 'early'));
    host.handle({ type: 'tokenize', id: 3, text: 'ab' });
    const all = await answers();
    expect(all.get(1)).toMatchObject({ type: 'loaded', info: { name: 'one' } });
    expect(FakeEngine.options).toEqual({ preferredFormat: 'psm', maxThreads: 1 });
    expect(all.get(2)).toMatchObject({ type: 'completed', result: resultWith('one: early') });
    expect(all.get(3)).toEqual({ type: 'tokens', id: 3, tokens: [97, 98] });
  });

  it('lets the newest completion win, running or waiting', async () => {
    const { host, answers } = started();
    host.handle({ type: 'load', id: 1, model: url('one') });
    await turn();
    host.handle(complete(2, 'running'));
    await turn();
    host.handle(complete(3, 'waiting'));
    host.handle(complete(4, 'newest'));
    const all = await answers();
    for (const id of [2, 3])
      expect(all.get(id)).toMatchObject({ type: 'failed', error: { code: 'aborted' } });
    expect(all.get(4)).toMatchObject({ type: 'completed', result: resultWith('one: newest') });
  });

  it('stops a completion that is cancelled, between two steps', async () => {
    const { host, answers } = started();
    host.handle({ type: 'load', id: 1, model: url('one') });
    await turn();
    host.handle(complete(2, 'running'));
    await turn();
    await turn();
    host.handle({ type: 'cancel', id: 2 });
    host.handle({ type: 'cancel', id: 77 });
    host.handle(complete(3, 'next'));
    const all = await answers();
    expect(all.get(2)).toMatchObject({ type: 'failed', error: { code: 'aborted' } });
    expect(all.get(3)).toMatchObject({ type: 'completed', result: resultWith('one: next') });
  });

  it('tells a request without any model so', async () => {
    const { host, answers } = started();
    host.handle(complete(1, 'x'));
    expect((await answers()).get(1)).toMatchObject({ type: 'failed', error: { code: 'internal' } });
  });
});

describe('a second load', () => {
  it('replaces the engine and frees the old one', async () => {
    const { host, answers } = started();
    host.handle({ type: 'load', id: 1, model: url('one') });
    host.handle({ type: 'load', id: 2, model: url('two') });
    await answers();
    host.handle(complete(3, 'x'));
    expect((await answers()).get(3)).toMatchObject({ result: resultWith('two: x') });
    expect(FakeEngine.freed).toEqual(['one']);
  });

  it.each([
    ['missing', 'http-status'],
    ['bad', 'gguf-magic'],
  ])('of a %s model fails and leaves the first one at work', async (name, code) => {
    const { host, answers } = started();
    host.handle({ type: 'load', id: 1, model: url('one') });
    await turn();
    host.handle(complete(2, 'during'));
    host.handle({ type: 'load', id: 3, model: url(name) });
    await answers();
    host.handle(complete(4, 'after'));
    const all = await answers();
    expect(all.get(2)).toMatchObject({ result: resultWith('one: during') });
    expect(all.get(3)).toMatchObject({ type: 'failed', error: { code } });
    expect(all.get(4)).toMatchObject({ result: resultWith('one: after') });
    expect(FakeEngine.freed).toEqual([]);
  });
});

describe('a trap', () => {
  it.each(['in a completion', 'in a load'])('%s is reported once and ends all work', async (where) => {
    const { host, posted } = started();
    host.handle({ type: 'load', id: 1, model: url(where === 'in a load' ? 'trap' : 'one') });
    host.handle(complete(2, 'trap'));
    for (let i = 0; i < 20; i++) await turn();
    host.handle(complete(3, 'after'));
    for (let i = 0; i < 20; i++) await turn();
    expect(posted.filter((message) => message.type === 'crashed')).toEqual([
      { type: 'crashed', message: 'RuntimeError: unreachable' },
    ]);
    expect(posted.at(-1)?.type).toBe('crashed');
  });
});
