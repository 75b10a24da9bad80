import { defineAgent, openFleet, startWorker } from '@coxswain/fleet';
import { inMemoryCli, script } from '@coxswain/testkit';
import { allow, decideLater } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { quick as limits } from '../support/agents.ts';
import { testDatabase } from '../support/database.ts';

describe('a turn whose CLI dies while its approval waits', () => {
  it('[F-8, F-35] is parked, and the answer resumes it', async () => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    const kills: (() => void)[] = [];
    const ask = { result: 'made', permission: 'ask' } as const;
    const agent = defineAgent({
      parkAfterMs: Number.POSITIVE_INFINITY,
      options() {
        const cli = inMemoryCli(
          script().otherwise((turn) => turn.useTool('Bash', { command: 'make' }, ask).say('built')),
        );
        const transport: typeof cli.transport = (...given) => {
          const started = cli.transport(...given);
          kills.push(() => started.signal('kill'));
          return started;
        };
        return { transport, canUseTool: () => decideLater() };
      },
    });
    await using _worker = await startWorker({ ...place, limits, agent });
    const turn = await fleet.submit({ key: 'ann', prompt: 'build' });
    await expect.poll(() => fleet.approvals({}), { timeout: 20_000 }).toHaveLength(1);
    kills[0]?.();
    await expect.poll(() => fleet.turns({ state: 'parked' }), { timeout: 20_000 }).toHaveLength(1);
    const [approval] = await fleet.approvals({});
    await fleet.answer(approval?.id ?? '', allow(), { by: 'bob', hash: approval?.hash ?? '' });
    expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'built' });
    const kinds = (await fleet.audit({ approval: approval?.id })).map(({ kind }) => kind);
    expect(kinds).toEqual(['requested', 'answered', 'delivered']);
  });
});
