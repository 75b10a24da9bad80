import { type AgentJob, defineAgent, type FleetAgent, openFleet, startWorker } from '@coxswain/fleet';
import { inMemoryCli, script } from '@coxswain/testkit';
import { describe, it } from 'vitest';
import { dying, quick as limits, scriptedAgent, takingOver } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';

const named = (name: string): FleetAgent => scriptedAgent((turn, job) => turn.say(`${name} did ${String(job.prompt)}`));
const text = (answer: string): object => ({ outcome: { kind: 'completed', text: answer } });

describe.concurrent('agents by name', () => {
  it('[F-48] each worker runs only turns of its agents, and a turn without a name is for the default one', async ({
    expect,
  }) => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    await using _one = await startWorker({ ...place, limits, agents: { review: named('review') } });
    await using _two = await startWorker({
      ...place,
      limits,
      agent: named('default'),
      agents: { deploy: named('deploy'), 'deploy.v2': named('second deploy') },
    });
    const turns = await Promise.all(
      ['review', 'deploy', 'deploy.v2', 'default', undefined].flatMap((agent) =>
        [1, 2, 3].map((n) => fleet.submit({ key: `${agent}-${n}`, prompt: `${n}`, agent })),
      ),
    );
    const ended = await Promise.all(turns.map(async (turn) => (await turn.outcome()).outcome));
    const names = ['review', 'deploy', 'second deploy', 'default', 'default'];
    expect(ended.map((outcome) => outcome.kind === 'completed' && outcome.text)).toEqual(
      names.flatMap((name) => [1, 2, 3].map((n) => `${name} did ${n}`)),
    );
    const infos = await Promise.all(turns.map((turn) => turn.info()));
    expect(infos.slice(0, 3).map(({ agent }) => agent)).toEqual(['review', 'review', 'review']);
    const [review] = (await fleet.workers()).filter(({ agents }) => agents.some(({ name }) => name === 'review'));
    for (const { agent, worker } of infos) expect(worker === review?.id).toBe(agent === 'review');
    expect(await fleet.turns({ agent: 'deploy' })).toHaveLength(3);
  });

  it('[F-48] a conversation belongs to the agent of its first turn: later turns need no name, and another one is refused', async ({
    expect,
  }) => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    await fleet.submit({ key: 'ann', prompt: 'one', agent: 'review', id: 'one' });
    await expect(fleet.submit({ key: 'ann', prompt: 'two', agent: 'deploy' })).rejects.toMatchObject({
      code: 'submission',
      field: 'agent',
      message: expect.stringContaining('which is "review"'),
    });
    // The same submission again, as after a lost response.
    expect((await fleet.submit({ key: 'ann', prompt: 'one', agent: 'review', id: 'one' })).id).toBe('one');
    const next = await fleet.submit({ key: 'ann', prompt: 'two' });
    await expect(
      fleet.schedule({ name: 'nightly', cron: '0 3 * * *', key: 'ann', prompt: 'x', agent: 'deploy' }),
    ).rejects.toMatchObject({ code: 'submission', field: 'agent' });
    await using _worker = await startWorker({ ...place, limits, agents: { review: named('review') } });
    expect(await next.outcome()).toMatchObject(text('review did two'));
    const again = await fleet.resend(next.id);
    expect(await again.outcome()).toMatchObject(text('review did two'));
    expect(await fleet.conversations()).toMatchObject([{ key: 'ann', agent: 'review', turns: 3 }]);
  });

  it('[F-48, F-45] turns that are submitted together go to their agents, and one with another agent refuses all', async ({
    expect,
  }) => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    const both = [
      { key: 'ann', prompt: 'one', agent: 'review' },
      { key: 'bob', prompt: 'two', agent: 'deploy' },
      { key: 'ann', prompt: 'three' },
    ];
    await expect(fleet.submitMany([...both, { key: 'ann', prompt: 'four', agent: 'deploy' }])).rejects.toMatchObject({
      code: 'submission',
      field: 'submissions[3].agent',
    });
    expect(await fleet.conversations()).toEqual([]);
    const group = await fleet.submitMany(both);
    await using _one = await startWorker({ ...place, limits, agents: { review: named('review') } });
    await using _two = await startWorker({ ...place, limits, agents: { deploy: named('deploy') } });
    const ended = await group.done();
    expect(ended.map(({ outcome }) => outcome.kind === 'completed' && outcome.text)).toEqual([
      'review did one',
      'deploy did two',
      'review did three',
    ]);
    expect((await fleet.turns()).map(({ agent }) => agent).sort()).toEqual(['deploy', 'review', 'review']);
  });

  it('[F-48] turns of an agent that no worker has wait and are counted, while those behind them run', async ({
    expect,
  }) => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    await using worker = await startWorker({ ...place, limits, agents: { review: named('review') } });
    const waiting = await Promise.all(
      [1, 2, 3].map((n) => fleet.submit({ key: `d${n}`, prompt: 'x', agent: 'deploy', priority: 10 })),
    );
    const behind = await fleet.submit({ key: 'r', prompt: 'x', agent: 'review' });
    expect(await behind.outcome()).toMatchObject(text('review did x'));
    const { unserved, turns } = await fleet.stats();
    expect(unserved).toEqual([
      { agent: 'deploy', waiting: 3, missing: 'agent', reason: 'no worker has the agent deploy' },
    ]);
    expect(turns.waiting).toBe(3);
    expect(await fleet.metrics()).toContain('coxswain_fleet_turns_unserved 3');
    await using _two = await startWorker({ ...place, limits, agents: { deploy: named('deploy') } });
    for (const turn of waiting) expect(await turn.outcome()).toMatchObject(text('deploy did x'));
    expect((await fleet.stats()).unserved).toEqual([]);
    expect(worker.health().turnsEnded).toBe(1);
  });

  it('[F-48] a job that names another agent than its conversation runs nothing, and the turn goes to the right worker', async ({
    expect,
  }) => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    const turn = await fleet.submit({ key: 'ann', prompt: 'x', agent: 'deploy' });
    // As a worker of an older release, or a submitter, could write it.
    await sql(place.database, `update ${place.schema}.job set group_tier = null where name = 'turns'`);
    await using _one = await startWorker({ ...place, limits, agent: named('default') });
    await expect
      .poll(
        async () =>
          (await sql(place.database, `select group_tier from ${place.schema}.job where state = 'created'`))[0],
      )
      .toEqual({ group_tier: 'deploy' });
    expect(await turn.info()).toMatchObject({ state: 'waiting', attempt: 0 });
    await using _two = await startWorker({ ...place, limits, agents: { deploy: named('deploy') } });
    expect(await turn.outcome()).toMatchObject(text('deploy did x'));
  });

  it('[F-48, F-4] a worker that has the agent decides about the turn of a dead one, by the replay of that agent', async ({
    expect,
  }) => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    let sent: () => void = () => {};
    const isSent = new Promise<void>((resolve) => {
      sent = resolve;
    });
    const hanging = defineAgent({
      replay: 'unanswered',
      options: () => ({ transport: inMemoryCli(script().otherwise((turn) => turn.silence())).transport }),
    });
    const dead = await startWorker({
      ...place,
      limits: dying,
      agents: { deploy: hanging },
      onStep: (step) => {
        if (step === 'sent') sent();
      },
    });
    const turn = await fleet.submit({ key: 'ann', prompt: 'x', agent: 'deploy' });
    await isSent;
    void dead.crash();
    await sql(place.database, `update ${place.schema}.conversation set lease_until = now() - interval '1 s'`);
    await using _other = await startWorker({ ...place, limits: takingOver, agent: named('default') });
    const again = { ...named('deploy'), replay: 'unanswered' } as const;
    await using _worker = await startWorker({ ...place, limits: takingOver, agents: { deploy: again } });
    expect(await turn.outcome()).toMatchObject(text('deploy did x'));
  });

  it('[F-16, F-48] names and agents are checked before anything is done', async ({ expect }) => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    for (const agent of ['', 'a b', '-x', '../x', 'x'.repeat(64), 3, null]) {
      // @ts-expect-error: some are no strings
      await expect(fleet.submit({ key: 'ann', prompt: 'x', agent })).rejects.toMatchObject({ field: 'agent' });
    }
    const agent = named('x');
    const wrong: readonly (readonly [object, string])[] = [
      [{}, 'agent'],
      [{ agents: {} }, 'agents'],
      [{ agents: { 'a b': agent } }, 'agents.a b'],
      [{ agents: { review: {} } }, 'agents.review'],
      [{ agents: { review: { ...agent, version: '' } } }, 'agents.review.version'],
      [{ agents: { review: { ...agent, verison: '1' } } }, 'agents.review.verison'],
      [{ agent, agents: { default: agent } }, 'agents'],
      [{ agent, cli: '' }, 'cli'],
    ];
    for (const [options, field] of wrong)
      await expect(startWorker({ ...place, limits, ...options })).rejects.toMatchObject({ code: 'fleet-input', field });
    expect(await fleet.workers()).toEqual([]);
  });

  it('the types of data of several agents are those that each of them declares', async ({ expect }) => {
    const place = await testDatabase();
    const review = defineAgent<{ readonly files: number }>({
      options: (job: AgentJob<{ readonly files: number }>) => ({ maxTurns: job.data.files }),
    });
    const deploy = defineAgent<string>({ options: (job) => ({ model: job.data.trim() }) });
    await using worker = await startWorker({ ...place, limits, agents: { review, deploy } });
    expect(worker.health().ready).toBe(true);
  });
});
