import { type Approval, type Fleet, openFleet, startWorker, type Worker } from '@coxswain/fleet';
import { allow, deny } from 'coxswain';
import { afterEach, describe, expect, it } from 'vitest';
import { quick, scriptedAgent } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';

const asking = scriptedAgent(
  (turn, { prompt }) =>
    String(prompt).includes('ask')
      ? turn.useTool('Bash', { command: `make ${prompt}` }, { result: 'made', permission: 'ask' }).say(`did ${prompt}`)
      : turn.say(`did ${prompt}`),
  { parkAfterMs: 0 },
);

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

/** A fleet, and a function that starts workers of it. */
async function stage(limits = quick): Promise<{
  readonly fleet: Fleet;
  readonly hire: (agent?: typeof asking) => Promise<Worker>;
  readonly query: (text: string) => Promise<Record<string, unknown>[]>;
}> {
  const { database, schema } = await testDatabase();
  const fleet = await openFleet({ database, schema, limits });
  open.push(fleet);
  const hire = async (agent = asking): Promise<Worker> => {
    const worker = await startWorker({ database, schema, limits, agent, slots: 4 });
    open.push(worker);
    return worker;
  };
  const query = (text: string): Promise<Record<string, unknown>[]> => sql(database, text.replaceAll('@', schema));
  return { fleet, hire, query };
}

async function parkedApproval(fleet: Fleet, turn: string): Promise<Approval> {
  await expect.poll(() => fleet.turns({ state: 'parked' }), { timeout: 20_000 }).toMatchObject([{ id: turn }]);
  const [approval] = await fleet.approvals({});
  if (!approval) throw new Error('There is no approval.');
  return approval;
}

const answer = (fleet: Fleet, { id, hash }: Approval, decision = allow()): Promise<void> =>
  fleet.answer(id, decision, { by: 'bob', hash });

describe('a turn whose approval waits', () => {
  it('[F-8, F-35] is parked: no worker has it, and the answer resumes it', async () => {
    const { fleet, hire, query } = await stage();
    const worker = await hire();
    const turn = await fleet.submit({ key: 'ann', prompt: 'ask 1' });
    const later = await fleet.submit({ key: 'ann', prompt: 'later' });
    const approval = await parkedApproval(fleet, turn.id);
    expect(worker.health().running).toBe(0);
    expect(await query('select owner, claim from @.conversation')).toEqual([{ owner: null, claim: null }]);
    await answer(fleet, approval);
    expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'did ask 1' });
    expect((await later.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'did later' });
    const kinds = (await fleet.audit({ approval: approval.id })).map(({ kind }) => kind);
    expect(kinds).toEqual(['requested', 'answered', 'delivered']);
  });

  it('[F-8, F-35] can be resumed from the moment somebody can answer', async () => {
    const { fleet, hire, query } = await stage();
    await query('create table @.seen (resumable boolean)');
    await query(`create function @.see() returns trigger language plpgsql as $$
      begin insert into @.seen values (new.parked is not null); return null; end $$`);
    await query('create trigger seen after insert on @.approval for each row execute function @.see()');
    await hire();
    const turn = await fleet.submit({ key: 'ann', prompt: 'ask 1' });
    await parkedApproval(fleet, turn.id);
    expect(await query('select * from @.seen')).toEqual([{ resumable: true }]);
  });

  it('[F-35] is resumed by another worker after a drain, with the answer that was given meanwhile', async () => {
    const { fleet, hire } = await stage();
    const first = await hire({ ...asking, parkAfterMs: Number.POSITIVE_INFINITY });
    const turn = await fleet.submit({ key: 'ann', prompt: 'ask 1' });
    await expect.poll(() => fleet.approvals({}), { timeout: 20_000 }).toHaveLength(1);
    await first.drain();
    const approval = await parkedApproval(fleet, turn.id);
    await answer(fleet, approval, deny('not today') as never);
    await hire();
    expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed' });
    expect(await fleet.approvals({ state: 'answered' })).toMatchObject([{ answer: { decision: 'deny' } }]);
  });

  it('[F-35] can be cancelled, and the next turn runs', async () => {
    const { fleet, hire } = await stage();
    await hire();
    const turn = await fleet.submit({ key: 'ann', prompt: 'ask 1' });
    await parkedApproval(fleet, turn.id);
    const later = await fleet.submit({ key: 'ann', prompt: 'later' });
    await fleet.cancel(turn.id, { by: 'eve' });
    expect((await turn.outcome()).outcome).toMatchObject({ kind: 'interrupted', by: 'cancel' });
    expect((await later.outcome()).outcome).toMatchObject({ kind: 'completed' });
    expect(await fleet.approvals({ state: 'void' })).toHaveLength(1);
  });

  it('[F-35] is denied when its approval expires', async () => {
    const { fleet, hire } = await stage();
    await hire({ ...asking, approvals: () => ({ expiresAfterMs: 1_000, onExpiry: { deny: 'too late' } }) });
    const turn = await fleet.submit({ key: 'ann', prompt: 'ask 1' });
    expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed' });
    expect(await fleet.approvals({ state: 'expired' })).toHaveLength(1);
  });

  it('[F-35] asks twice and is parked twice', async () => {
    const { fleet, hire } = await stage();
    const ask = { result: 'made', permission: 'ask' } as const;
    await hire(
      scriptedAgent(
        (turn) =>
          turn.useTool('Bash', { command: 'one' }, ask).useTool('Bash', { command: 'two' }, ask).say('did both'),
        { parkAfterMs: 0 },
      ),
    );
    const turn = await fleet.submit({ key: 'ann', prompt: 'ask' });
    const first = await parkedApproval(fleet, turn.id);
    await answer(fleet, first);
    await expect
      .poll(() => fleet.approvals({}), { timeout: 20_000 })
      .toMatchObject([{ request: { input: { command: 'two' } } }]);
    await answer(fleet, await parkedApproval(fleet, turn.id));
    expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'did both' });
  });
});
