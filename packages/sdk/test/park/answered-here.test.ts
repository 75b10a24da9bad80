import { describe, expect, it } from 'vitest';
import { allow, decideLater, deny } from '../../src/callbacks/decisions.ts';
import { parkStage, requested, toolsOf } from './stage.ts';

describe('a request that parkable() has returned, answered by its own session', () => {
  it('[G-9] is not allowed once another process has allowed it', async () => {
    const stage = parkStage();
    const session = stage.open({ canUseTool: () => decideLater() });
    const turn = session.send('Delete it.');
    const id = await requested(turn);
    const parked = await session.parkable(id);
    const elsewhere = stage.resume({ ...parked, answer: allow() } as typeof parked);
    expect(await elsewhere.turn.text()).toContain('It is gone.');
    await session.answerPermission(id, allow());
    await expect(turn.result()).rejects.toMatchObject({ code: 'parked-request', problem: 'answered' });
    expect(toolsOf(stage.cli)).toEqual([]);
  });

  it('[G-9] gets a note of the answer in the store before it is allowed, so that no other process allows it', async () => {
    const stage = parkStage();
    const session = stage.open({ canUseTool: () => decideLater() });
    const turn = session.send('Delete it.');
    const id = await requested(turn);
    const parked = await session.parkable(id);
    await session.answerPermission(id, allow());
    expect(await turn.text()).toContain('It is gone.');
    const entries = JSON.stringify(await stage.entries(parked.sessionId));
    expect(entries.indexOf('coxswain-answered')).toBeGreaterThan(0);
    expect(entries.indexOf('coxswain-answered')).toBeLessThan(entries.indexOf('"tool_result"'));
    const again = stage.resume({ ...parked, answer: allow() } as typeof parked);
    await expect(again.turn.result()).rejects.toMatchObject({ problem: 'finished' });
  });

  it('[G-9] gets a note of the answer in the store before it is denied', async () => {
    const stage = parkStage();
    const session = stage.open({ canUseTool: () => decideLater() });
    const turn = session.send('Delete it.');
    const id = await requested(turn);
    const { sessionId } = await session.parkable(id);
    await session.answerPermission(id, deny('no'));
    expect(await turn.text()).toContain('I leave it.');
    expect(JSON.stringify(await stage.entries(sessionId))).toContain('coxswain-answered');
  });

  it.each([false, true])(
    '[G-8] stays parked when its session is closed before the answer (restart: %s)',
    async (restart) => {
      const stage = parkStage();
      const session = stage.open({ canUseTool: () => decideLater(), restart });
      const turn = session.send('Delete it.');
      const parked = await session.parkable(await requested(turn));
      await session.close();
      await expect(turn.result()).rejects.toMatchObject({ code: 'turn-parked' });
      expect(turn.state).toBe('parked');
      const elsewhere = stage.resume({ ...parked, answer: allow() } as typeof parked);
      expect(await elsewhere.turn.text()).toContain('It is gone.');
    },
  );
});
