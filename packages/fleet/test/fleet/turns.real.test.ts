import { inMemoryCli, script } from '@coxswain/testkit';
import { defineAgent, type FollowItem, openFleet, startWorker } from '@coxswain/fleet';
import { describe, expect, it } from 'vitest';
import { testDatabase } from '../support/database.ts';

const limits = { pollMs: 200, leaseMs: 2_000, flushMs: 20 };

function echoAgent(): ReturnType<typeof defineAgent> {
  const cli = inMemoryCli(script().otherwise((turn) => turn.say('done')));
  return defineAgent({ options: () => ({ transport: cli.transport }) });
}

describe('turns', () => {
  it('[F-1] a submitted turn runs on a worker, and its messages and outcome reach the follower', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const turn = await fleet.submit({ key: 'ann', prompt: 'Tidy up' });
    await using _worker = await startWorker({ database, schema, limits, agent: echoAgent() });
    const items: FollowItem[] = [];
    for await (const item of turn.follow()) items.push(item);
    expect(items.at(-1)).toMatchObject({ kind: 'outcome', outcome: { kind: 'completed', text: 'done' } });
    expect(items.filter(({ kind }) => kind === 'state')).toMatchObject([{ state: 'claimed' }, { state: 'sent' }]);
    expect((await turn.outcome()).outcome.kind).toBe('completed');
  });
});
