import { appendFileSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FleetReplay, openFleet, startWorker } from '@coxswain/fleet';
import { describe, expect, it } from 'vitest';
import { dying, quick as limits, scriptedAgent, takingOver } from '../support/agents.ts';
import { testDatabase } from '../support/database.ts';
import { startWorkerProcess } from '../support/processes.ts';

describe.concurrent('replay of a turn whose worker died after the prompt was sent', () => {
  it.each([
    ['unanswered', 'sent', 'completed', 2],
    ['unanswered', 'answering', 'interrupted', 1],
    ['function', 'answering', 'completed', 2],
    ['throwing', 'sent', 'interrupted', 1],
  ] as const)('[F-4] "%s", killed at "%s": the turn ends as %s', async (how, step, kind, times) => {
    const { database, schema } = await testDatabase();
    const effects = join(tmpdir(), `fleet-replay-${process.pid}-${schema}`);
    await using fleet = await openFleet({ database, schema, limits });
    const turn = await fleet.submit({ key: 'ann', prompt: 'one' });
    await using victim = startWorkerProcess({
      database,
      schema,
      name: 'dying',
      limits: dying,
      slots: 1,
      effects,
      replay: 'unanswered',
      dieAt: { step, nth: 1 },
    });
    await victim.exited;
    const asked: unknown[] = [];
    const replay: FleetReplay =
      how === 'unanswered'
        ? how
        : (lost) => {
            asked.push(lost);
            if (how === 'throwing') throw new Error('no rule for it');
            return true;
          };
    const errors: unknown[] = [];
    await using _other = await startWorker({
      database,
      schema,
      limits: takingOver,
      agent: scriptedAgent(undefined, { replay }),
      onError: (error) => errors.push(error),
      onStep: (at, { id }) => {
        if (at === 'sent') appendFileSync(effects, `${id}\n`);
      },
    });
    expect((await turn.outcome()).outcome).toMatchObject({ kind });
    expect(readFileSync(effects, 'utf8').split('\n').filter(Boolean)).toHaveLength(times);
    expect((await turn.info()).attempt).toBe(times);
    expect(errors).toMatchObject(how === 'throwing' ? [{ code: 'agent-function', function: 'replay' }] : []);
    if (how === 'function') expect(asked).toEqual([{ id: turn.id, prompt: 'one', attempts: 1, answered: true }]);
    // Followers receive both attempts and one outcome.
    const states: string[] = [];
    let outcomes = 0;
    for await (const item of turn.follow()) {
      if (item.kind === 'state') states.push(item.state);
      if (item.kind === 'outcome') outcomes += 1;
    }
    expect(states.filter((state) => state === 'sent')).toHaveLength(times);
    expect(outcomes).toBe(1);
  });
});
