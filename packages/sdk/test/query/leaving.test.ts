import { describe, expect, it, vi } from 'vitest';
import { fakeClock, pass } from '../support/fake-clock.ts';
import { inMemory } from '../support/memory-transport.ts';
import { INIT, result } from '../support/say.ts';

fakeClock();

describe('breaking out of a loop', () => {
  it('[Q-10, R-2] waits 1 s for a CLI that does not exit, and ends it in the background', async () => {
    const run = inMemory();
    run.transport.obeys = 'kill';
    run.transport.say(INIT);
    let ended = false;
    void (async () => {
      for await (const _ of run.stream) break;
      ended = true;
    })();
    await run.stream.started;
    await pass(999);
    expect(ended).toBe(false);
    await pass(1);
    expect(ended).toBe(true);
    expect(run.transport.signals).toEqual(['interrupt']);
    await pass(1_000);
    expect(run.transport.signals).toEqual(['interrupt', 'terminate']);
    await pass(3_000);
    expect(run.transport.signals).toEqual(['interrupt', 'terminate', 'kill']);
    expect(await run.stream.closed).toMatchObject({ ended: 'killed' });
  });

  it('[Q-10, R-2] at the last result does not disturb a CLI that is about to exit', async () => {
    const run = inMemory();
    run.transport.say(INIT, result());
    for await (const message of run.stream) {
      if (message.type !== 'result') continue;
      setTimeout(() => run.transport.end(), 300);
      void vi.advanceTimersByTimeAsync(300);
      break;
    }
    expect(run.transport.signals).toEqual([]);
    expect(await run.stream.closed).toEqual({ exitCode: 0, signal: null, ended: 'by-itself' });
    expect(run.events.map(({ type }) => type)).toContain('ended');
  });
});
