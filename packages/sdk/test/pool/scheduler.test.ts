import { describe, expect, it } from 'vitest';
import { SimulatedPool } from './simulated-pool.ts';

describe('the scheduler', () => {
  it('[A-4] a key gives its session up to others only after some more jobs of its own', () => {
    const startsBefore = (affinity: number): number => {
      const world = new SimulatedPool({ size: 1, affinity });
      for (let n = 0; n < 10; n++) world.submit(`a${n}`, 'a');
      world.submit('b', 'b');
      world.finish();
      return world.started.indexOf('b');
    };
    expect([0, 3, 6].map(startsBefore)).toEqual([2, 4, 7]);
  });

  it('[A-4] makes room by the session that is missed least', () => {
    const world = new SimulatedPool({ size: 3, prewarm: 1 });
    for (const key of ['old', 'new']) {
      world.submit(key, key);
      world.finish();
    }
    world.submit('third', 'third');
    expect(stops(world)).toEqual(['old']);
    world.finish();
    expect(keysOf(world)).toEqual(['new', 'third', 'warm']);
    // Both keys are at work: now the warm one has to go.
    for (const key of ['new', 'third']) world.submit(`${key} again`, key);
    world.submit('fourth', 'fourth');
    expect(stops(world)).toEqual(['old', 'warm']);
  });

  it('[A-4] does not evict more than is needed, and not what comes free by itself', () => {
    const world = new SimulatedPool({ size: 2 });
    for (const key of ['a', 'b']) world.submit(key, key);
    world.finish();
    world.submit('c', 'c');
    world.submit('d', null);
    world.submit('e', null);
    expect(stops(world)).toEqual(['a', 'b']);
    world.finish();
    expect(world.started).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('[A-4] evicts one for each that waits, however often it looks', () => {
    const world = new SimulatedPool({ size: 3 });
    for (const key of ['a', 'b', 'c']) world.submit(key, key);
    world.finish();
    world.submit('d', 'd');
    world.feed({ type: 'resume' });
    world.feed({ type: 'resume' });
    expect(stops(world)).toEqual(['a']);
  });

  it('[A-4] a conversation that has begun is never moved to a warm session, also if its process is lost', () => {
    // Two that wait when it begins, and one that comes before anybody knows that it has.
    for (const [before, after] of [
      [['a1', 'a2'], []],
      [['a1'], ['a2']],
    ] as const) {
      const world = new SimulatedPool({ size: 2, prewarm: 1 });
      world.feed({ type: 'warm' });
      world.feed({ type: 'pause' });
      for (const job of before) world.submit(job, 'a', { fresh: true });
      world.feed({ type: 'resume' });
      expect(world.effects.find((effect) => effect.do === 'assign')).toMatchObject({ job: 'a1', adopts: true });
      world.begun.clear();
      for (const job of after) world.submit(job, 'a', { fresh: true });
      world.feed({ type: 'warm' });
      world.begun.add('a');
      world.feed({ type: 'gone', slot: 1 });
      expect(world.started).toEqual(['a1', 'a2']);
      expect(world.effects.at(-1)).toMatchObject({ do: 'start', job: 'a2' });
    }
  });

  it('[A-4] a job that needs another process gets one, after its key has left the first; the next goes back to one without', () => {
    const world = new SimulatedPool({ size: 1 });
    world.submit('plain 1', 'a');
    world.submit('own', 'a', { profile: 'x' });
    world.submit('own again', 'a', { profile: 'x' });
    world.submit('plain 2', 'a');
    world.finish();
    expect(world.started).toEqual(['plain 1', 'own', 'own again', 'plain 2']);
    expect(world.effects.filter((effect) => effect.do === 'start')).toMatchObject([
      { slot: 1, job: 'plain 1' },
      { slot: 2, job: 'own' },
      { slot: 3, job: 'plain 2' },
    ]);
    expect(world.effects.filter((effect) => effect.do === 'stop')).toMatchObject([
      { slot: 1, why: 'changed' },
      { slot: 2, why: 'changed' },
    ]);
  });

  it('[A-4] a job that needs another process waits for what its key has in the background', () => {
    const world = new SimulatedPool({ size: 2 });
    world.submit('plain', 'a');
    world.submit('own', 'a', { profile: 'x' });
    world.feed({ type: 'turn-ended', slot: 1, quiet: false });
    expect(world.effects.filter((effect) => effect.do === 'stop')).toEqual([]);
    world.feed({ type: 'settled', slot: 1 });
    expect(world.effects.at(-1)).toMatchObject({ do: 'stop', slot: 1, why: 'changed' });
    world.feed({ type: 'gone', slot: 1 });
    expect(world.started).toEqual(['plain', 'own']);
  });

  it('[A-4] a session that is not done with its background keeps its place, but its key does not overtake', () => {
    const world = new SimulatedPool({ size: 1, affinity: 0 });
    world.submit('a1', 'a');
    world.submit('b1', 'b');
    world.submit('a2', 'a');
    world.feed({ type: 'turn-ended', slot: 1, quiet: false });
    expect(world.started).toEqual(['a1']);
    world.feed({ type: 'settled', slot: 1 });
    expect(stops(world)).toEqual(['a']);
    world.finish();
    expect(world.started).toEqual(['a1', 'b1', 'a2']);
  });

  it('[A-4] a paused pool starts nothing, and goes on where it was', () => {
    const world = new SimulatedPool({ size: 1 });
    world.feed({ type: 'pause' });
    world.submit('a', 'a');
    expect(world.started).toEqual([]);
    world.feed({ type: 'resume' });
    expect(world.started).toEqual(['a']);
  });

  it('[A-4] a job of high priority brings its key forward, not itself before the others of it', () => {
    const world = new SimulatedPool({ size: 1, affinity: 0 });
    world.submit('first', null);
    world.submit('b1', 'b');
    world.submit('a1', 'a', { priority: -5 });
    world.submit('a2', 'a', { priority: 5 });
    world.finish();
    expect(world.started).toEqual(['first', 'a1', 'a2', 'b1']);
  });
});

/** The keys whose sessions were stopped to make room. */
function stops(world: SimulatedPool): string[] {
  return world.effects.flatMap((effect) => {
    if (effect.do !== 'stop' || effect.why !== 'needed') return [];
    return [world.keyOf(effect.slot)];
  });
}

function keysOf(world: SimulatedPool): string[] {
  return [...world.processes.keys()].map((slot) => world.keyOf(slot)).sort();
}
