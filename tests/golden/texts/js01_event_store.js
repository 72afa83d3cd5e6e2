// An append-only event store with snapshots, over any key-value backend.
'use strict';

const SNAPSHOT_EVERY = 50;

class ConflictError extends Error {
  constructor(stream, expected, actual) {
    super(`stream ${stream}: expected version ${expected}, found ${actual}`);
    this.name = 'ConflictError';
    this.expected = expected;
    this.actual = actual;
  }
}

class EventStore {
  #backend;
  #listeners = new Set();

  constructor(backend) {
    this.#backend = backend;
  }

  async append(stream, expectedVersion, events) {
    const log = (await this.#backend.get(stream)) ?? [];
    if (log.length !== expectedVersion) {
      throw new ConflictError(stream, expectedVersion, log.length);
    }
    const stamped = events.map((event, i) => ({
      ...event,
      version: expectedVersion + i + 1,
      at: new Date().toISOString(),
    }));
    await this.#backend.set(stream, log.concat(stamped));
    for (const listener of this.#listeners) {
      queueMicrotask(() => listener(stream, stamped));
    }
    return expectedVersion + stamped.length;
  }

  async load(stream, reducer, initial) {
    const snapshot = await this.#backend.get(`${stream}:snapshot`);
    let state = snapshot ? snapshot.state : initial;
    const from = snapshot ? snapshot.version : 0;
    const log = (await this.#backend.get(stream)) ?? [];
    for (const event of log.slice(from)