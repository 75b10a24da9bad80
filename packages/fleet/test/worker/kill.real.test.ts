import { appendFileSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFleet, startWorker } from '@coxswain/fleet';
import { describe, expect, it } from 'vitest';
import { dying, quick as limits, scriptedAgent, takingOver } from '../support/agents.ts';
import { testDatabase } from '../support/database.ts';
import { startWorkerProcess } from '../support/processes.ts';

/** Number of times that each turn's prompt was sent to an agent. */
function effectsIn(file: string): string[] {
  return readFileSync(file, { encoding: 'utf8', flag: 'a+' }).split('\n').filter(Boolean);
}

describe.concurrent('kill -9 of a worker', () => {
  it.each([
    ['fetched', 'completed', 1],
    ['claimed', 'completed', 2],
    ['sent', 'interrupted', 1],
    ['answering', 'interrupted', 1],
    ['result', 'interrupted', 1],
    ['committing', 'interrupted', 1],
    ['committed', 'completed', 1],
  ] as const)('[F-4] at "%s": the turn ends as %s, and the next one runs elsewhere', async (step, kind, attempts) => {
    const { database, schema } = await testDatabase();
    const effects = join(tmpdir(), `fleet-effects-${process.pid}-${schema}`);
    await using fleet = await openFleet({ database, schema, limits });
    const first = await fleet.submit({ key: 'ann', prompt: 'one' });
    const second = await fleet.submit({ key: 'ann', prompt: 'two' });
    await using victim = startWorkerProcess({
      database,
      schema,
      name: 'dying',
      limits: dying,
      slots: 1,
      effects,
      dieAt: { step, nth: 1 },
    });
    await victim.exited;
    const killedAt = performance.now();
    const onStep = (at: string, { id }: { id: string }): void => {
      if (at === 'sent') appendFileSync(effects, `${id}\n`);
    };
    await using _other = await startWorker({ database, schema, limits: takingOver, agent: scriptedAgent(), onStep });
    expect((await second.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'did two' });
    const takeover = performance.now() - killedAt;
    expect((await first.outcome()).outcome.kind).toBe(kind);
    expect((await first.info()).attempt).toBe(attempts);
    // It does not run again without permission.
    expect(effectsIn(effects).filter((id) => id === first.id).length).toBe(1);
    // After the short lease, not after a lease of 20 s.
    expect(takeover).toBeLessThan(limits.leaseMs);
  });
});
