import { describe, expect, it } from 'vitest';
import { SimulatedPool } from './simulated-pool.ts';

describe('the scheduler', () => {
  it('[A-4] lets a key keep its session for `affinity` jobs while others wait', () => {
    const startsBefore = (affinity: number): number => {
      const pool = new SimulatedPool({ size: 1, affinity });
      for (let n = 0; n < 10; n++) pool.submit(`a${n}`, 'a');
      pool.submit('b', 'b');
      pool.finish();
      return pool.started.indexOf('b');
    };
    expect([0, 3, 6].map(startsBefore)).toEqual([2, 4, 7]);
  });

  it('[A-4] evicts idle sessions first, the least recently used before others, and warm ones last', () => {
    const pool = new SimulatedPool({ size: 3, prewarm: 1 });
    for (const key of ['old', 'new']) {
      pool.submit(key, key);
      pool.finish();
    }
    pool.submit('third', 'third');
    expect(stops(pool)).toEqual(['old']);
    pool.finish();
    expect(keysOf(pool)).toEqual(['new', 'third', 'warm']);
    // Both keys are busy, so the warm session is evicted.
    for (const key of ['new', 'third']) pool.submit(`${key} again`, key);
    pool.submit('fourth', 'fourth');
    expect(stops(pool)).toEqual(['old', 'warm']);
  });

  it('[A-4] evicts no more sessions than needed, and counts slots that become free anyway', () => {
    const pool = new SimulatedPool({ size: 2 });
    for (const key of ['a', 'b']) pool.submit(key, key);
    pool.finish();
    pool.submit('c', 'c');
    pool.submit('d', null);
    pool.submit('e', null);
    expect(stops(pool)).toEqual(['a', 'b']);
    pool.finish();
    expect(pool.started).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('[A-4] evicts one session per waiting job, however many events it handles', () => {
    const pool = new SimulatedPool({ size: 3 });
    for (const key of ['a', 'b', 'c']) pool.submit(key, key);
    pool.finish();
    pool.submit('d', 'd');
    pool.feed({ type: 'resume' });
    pool.feed({ type: 'resume' });
    expect(stops(pool)).toEqual(['a']);
  });

  it('[A-4] never moves a started conversation to a warm session, even if its process is lost', () => {
    // The second job is queued before the first one starts, or before the pool has the id of the conversation.
    for (const [before, after] of [
      [['a1', 'a2'], []],
      [['a1'], ['a2']],
    ] as const) {
      const pool = new SimulatedPool({ size: 2, prewarm: 1 });
      pool.feed({ type: 'warm' });
      pool.feed({ type: 'pause' });
      for (const job of before) pool.submit(job, 'a', { fresh: true });
      pool.feed({ type: 'resume' });
      expect(pool.effects.find((effect) => effect.do === 'assign')).toMatchObject({ job: 'a1', adopts: true });
      pool.begun.clear();
      for (const job of after) pool.submit(job, 'a', { fresh: true });
      pool.feed({ type: 'warm' });
      pool.begun.add('a');
      pool.feed({ type: 'exited', slot: 1 });
      expect(pool.started).toEqual(['a1', 'a2']);
      expect(pool.effects.at(-1)).toMatchObject({ do: 'start', job: 'a2' });
    }
  });

  it('[A-4] replaces the process of a key when the next job has another profile, and again for the job after it', () => {
    const pool = new SimulatedPool({ size: 1 });
    pool.submit('plain 1', 'a');
    pool.submit('own', 'a', { profile: 'x' });
    pool.submit('own again', 'a', { profile: 'x' });
    pool.submit('plain 2', 'a');
    pool.finish();
    expect(pool.started).toEqual(['plain 1', 'own', 'own again', 'plain 2']);
    expect(pool.effects.filter((effect) => effect.do === 'start')).toMatchObject([
      { slot: 1, job: 'plain 1' },
      { slot: 2, job: 'own' },
      { slot: 3, job: 'plain 2' },
    ]);
    expect(pool.effects.filter((effect) => effect.do === 'stop')).toMatchObject([
      { slot: 1, why: 'changed' },
      { slot: 2, why: 'changed' },
    ]);
  });

  it('[A-4] waits for background work before it replaces the process of a key', () => {
    const pool = new SimulatedPool({ size: 2 });
    pool.submit('plain', 'a');
    pool.submit('own', 'a', { profile: 'x' });
    pool.feed({ type: 'turn-ended', slot: 1, quiet: false });
    expect(pool.effects.filter((effect) => effect.do === 'stop')).toEqual([]);
    pool.feed({ type: 'settled', slot: 1 });
    expect(pool.effects.at(-1)).toMatchObject({ do: 'stop', slot: 1, why: 'changed' });
    pool.feed({ type: 'exited', slot: 1 });
    expect(pool.started).toEqual(['plain', 'own']);
  });

  it('[A-4] keeps a session with background work, but does not let its key overtake others', () => {
    const pool = new SimulatedPool({ size: 1, affinity: 0 });
    pool.submit('a1', 'a');
    pool.submit('b1', 'b');
    pool.submit('a2', 'a');
    pool.feed({ type: 'turn-ended', slot: 1, quiet: false });
    expect(pool.started).toEqual(['a1']);
    pool.feed({ type: 'settled', slot: 1 });
    expect(stops(pool)).toEqual(['a']);
    pool.finish();
    expect(pool.started).toEqual(['a1', 'b1', 'a2']);
  });

  it('[A-4] starts nothing while it is paused, and continues when it is resumed', () => {
    const pool = new SimulatedPool({ size: 1 });
    pool.feed({ type: 'pause' });
    pool.submit('a', 'a');
    expect(pool.started).toEqual([]);
    pool.feed({ type: 'resume' });
    expect(pool.started).toEqual(['a']);
  });

  it('[A-4] moves the whole key forward for a job of high priority, without changing the order within the key', () => {
    const pool = new SimulatedPool({ size: 1, affinity: 0 });
    pool.submit('first', null);
    pool.submit('b1', 'b');
    pool.submit('a1', 'a', { priority: -5 });
    pool.submit('a2', 'a', { priority: 5 });
    pool.finish();
    expect(pool.started).toEqual(['first', 'a1', 'a2', 'b1']);
  });
});

/** The keys whose sessions were stopped to make room. */
function stops(pool: SimulatedPool): string[] {
  return pool.effects.flatMap((effect) => {
    if (effect.do !== 'stop' || effect.why !== 'needed') return [];
    return [pool.keyOf(effect.slot)];
  });
}

function keysOf(pool: SimulatedPool): string[] {
  return [...pool.processes.keys()].map((slot) => pool.keyOf(slot)).sort();
}
