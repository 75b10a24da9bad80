import { type ApprovalCaller, openFleet } from '@coxswain/fleet';
import { allow, deny, requestHash } from 'coxswain';
import pg from 'pg';
import { describe, it } from 'vitest';
import { quick as limits } from '../support/agents.ts';
import { asking } from '../support/asking.ts';
import { sql } from '../support/database.ts';

describe.concurrent('an answer to an approval', () => {
  it('[F-30] counts only for what its author saw: another hash is refused, recorded, and leaves the approval open', async ({
    expect,
  }) => {
    await using asked = await asking();
    const { fleet, turn, approval } = asked;
    const { id, hash, request } = approval;
    expect(hash).toBe(requestHash(request));
    const other = requestHash({ ...request, input: { command: 'make -n' } });
    await expect(fleet.answer(id, allow(), { by: 'ann', hash: other })).rejects.toMatchObject({
      code: 'approval-hash',
      id,
      given: other,
    });
    expect(await fleet.approvals()).toMatchObject([{ id, state: 'pending' }]);
    await fleet.answer(id, allow(), { by: 'ann', hash });
    expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'built' });
    const told = (await fleet.audit({ approval: id })).map(({ kind, by, detail }) => [kind, by, detail.why]);
    expect(told).toEqual([
      ['requested', null, undefined],
      ['refused', 'ann', 'approval-hash'],
      ['answered', 'ann', undefined],
      ['delivered', null, undefined],
    ]);
  });

  it('[F-30] the row of a request was changed: what it shows now cannot be approved, and an answer to it does not reach the agent', async ({
    expect,
  }) => {
    await using asked = await asking();
    const { fleet, turn, approval, database, schema, errors } = asked;
    const { id, hash } = approval;
    const harmless = { ...approval.request, input: { command: 'ls' } };
    const swap = `update ${schema}.approval set request = $1`;
    await sql(database, swap, [JSON.stringify(harmless)]);
    const seen = requestHash(harmless);
    for (const given of [hash, seen])
      await expect(fleet.answer(id, allow(), { by: 'ann', hash: given })).rejects.toMatchObject({
        code: 'approval-hash',
      });
    // Whoever changes the request can change its hash, too; the worker compares with what its agent asked.
    await sql(database, `update ${schema}.approval set hash = $1`, [seen]);
    await fleet.answer(id, allow(), { by: 'ann', hash: seen });
    await expect.poll(() => errors).toMatchObject([{ code: 'approval-hash', id }]);
    await expect.poll(() => fleet.approvals()).toHaveLength(1);
    expect((await fleet.audit({ approval: id })).at(-1)).toMatchObject({ kind: 'reopened' });
    await sql(database, swap, [JSON.stringify(approval.request)]);
    await sql(database, `update ${schema}.approval set hash = $1`, [hash]);
    await fleet.answer(id, deny('Not like that.'), { by: 'ann', hash });
    expect((await turn.outcome()).outcome.kind).toBe('completed');
  });

  it('[F-30] the item of a request was changed: its hash is of what a follower shows, so it cannot be approved', async ({
    expect,
  }) => {
    await using asked = await asking();
    const { fleet, turn, approval, database, schema } = asked;
    const text = `update ${schema}.event set body = replace(body::text, '"make"', '"ls"')::json where kind = 'permission-requested'`;
    await sql(database, text);
    for await (const item of turn.follow()) {
      if (item.kind !== 'permission-requested') continue;
      expect(item.request.input).toEqual({ command: 'ls' });
      const given = fleet.answer(item.approval ?? '', allow(), { by: 'ann', hash: item.hash });
      await expect(given).rejects.toMatchObject({ code: 'approval-hash', id: approval.id });
      break;
    }
    expect(await fleet.approvals()).toHaveLength(1);
  });

  it.for(['5', '[]', '[null]', '[{"groups":[7],"untilMs":null}]'])(
    '[F-31] the row of its groups was changed to %s: nobody may answer, and the others are listed',
    async (stages, { expect }) => {
      await using asked = await asking({ groups: ['release'] });
      const { fleet, approval, database, schema } = asked;
      await sql(database, `update ${schema}.approval set stages = $1`, [stages]);
      const given = fleet.answer(approval.id, allow(), { by: 'ann', hash: approval.hash, groups: ['release'] });
      await expect(given).rejects.toMatchObject({ code: 'approval-forbidden', groups: [] });
      expect(await fleet.approvals()).toMatchObject([{ id: approval.id, groups: [] }]);
    },
  );

  it('[F-16] has at most 32 MB: workers read it into memory', async ({ expect }) => {
    await using asked = await asking();
    const { fleet, approval } = asked;
    const answer = allow({ updatedInput: { command: 'x'.repeat(33 * 1024 * 1024) } });
    const given = fleet.answer(approval.id, answer, { by: 'ann', hash: approval.hash });
    await expect(given).rejects.toMatchObject({ code: 'fleet-input', field: 'answer' });
  });

  it('[F-31] with groups, comes from a member of one of them; without a group it is refused', async ({ expect }) => {
    await using asked = await asking({ groups: ['release', 'leads'] });
    const { fleet, turn, approval } = asked;
    const { id, hash } = approval;
    expect(approval).toMatchObject({ groups: ['release', 'leads'], expiresAt: null, onExpiry: null });
    for (const groups of [undefined, [], ['interns'], ['Release']])
      await expect(fleet.answer(id, allow(), { by: 'eve', hash, groups })).rejects.toMatchObject({
        code: 'approval-forbidden',
        by: 'eve',
        groups: ['release', 'leads'],
        message: expect.stringContaining('only members of release, leads may'),
      });
    await fleet.answer(id, allow(), { by: 'bob', hash, groups: ['interns', 'leads'], from: '10.0.0.7' });
    expect((await turn.outcome()).outcome.kind).toBe('completed');
    const refused = await fleet.audit({ approval: id, kind: 'refused' });
    expect(refused).toHaveLength(4);
    expect(refused[0]).toMatchObject({ by: 'eve', hash, detail: { why: 'approval-forbidden', decision: 'allow' } });
    expect(await fleet.audit({ approval: id, kind: 'answered' })).toMatchObject([
      { by: 'bob', from: '10.0.0.7', hash, turn: turn.id, detail: { decision: 'allow', of: ['interns', 'leads'] } },
    ]);
  });

  it('[F-31] authorize() decides instead of the groups, receives the caller, the approval and the answer, and anything but true refuses', async ({
    expect,
  }) => {
    const calls: [ApprovalCaller, string, string][] = [];
    const verdicts: unknown[] = [false, 'Only on weekdays', '', undefined, 1, new Error('no directory'), true];
    await using asked = await asking(
      { groups: ['release'] },
      {
        authorize: async (caller, { id }, { decision }) => {
          calls.push([caller, id, decision]);
          const verdict = verdicts.shift();
          if (verdict instanceof Error) throw verdict;
          return verdict as boolean;
        },
      },
    );
    const { fleet, turn, approval } = asked;
    const { id, hash } = approval;
    const options = { by: 'ann', hash, groups: ['release'], from: 'the page' };
    await expect(fleet.answer(id, allow(), { ...options, hash: '0'.repeat(64) })).rejects.toThrow('another request');
    expect(calls).toEqual([]);
    await expect(fleet.answer(id, allow(), options)).rejects.toThrow('only members of release may');
    await expect(fleet.answer(id, allow(), options)).rejects.toThrow('Only on weekdays');
    for (let rest = 3; rest > 0; rest -= 1)
      await expect(fleet.answer(id, allow(), options)).rejects.toMatchObject({ code: 'approval-forbidden' });
    await expect(fleet.answer(id, allow(), options)).rejects.toThrow('no directory');
    expect(await fleet.approvals()).toHaveLength(1);
    await fleet.answer(id, deny('Not today.'), { by: 'eve', hash });
    expect((await turn.outcome()).outcome.kind).toBe('completed');
    expect(calls[0]).toEqual([{ by: 'ann', groups: ['release'], from: 'the page' }, id, 'allow']);
    expect(calls.at(-1)).toEqual([{ by: 'eve', groups: [], from: null }, id, 'deny']);
    await expect(fleet.answer(id, allow(), options)).rejects.toMatchObject({ code: 'approval-closed', by: 'eve' });
    expect(calls).toHaveLength(7);
  });

  it('[F-31, F-33] what authorize() changes in its arguments is neither stored nor recorded', async ({ expect }) => {
    await using asked = await asking(undefined, {
      authorize: (caller, approval, answer) => {
        Object.assign(caller, { by: 'eve' });
        Object.assign(approval, { hash: '0'.repeat(64), tenant: 'other' });
        Object.assign(answer, { decision: 'allow' });
        return true;
      },
    });
    const { fleet, approval } = asked;
    const { id, hash } = approval;
    await fleet.answer(id, deny('no'), { by: 'bob', hash });
    expect(await fleet.approvals({ state: 'answered' })).toMatchObject([{ by: 'bob', answer: { decision: 'deny' } }]);
    expect(await fleet.audit({ kind: 'answered' })).toMatchObject([
      { by: 'bob', hash, tenant: 'default', detail: { decision: 'deny' } },
    ]);
  });

  it('[F-8, F-31] an answer that came first while another was being authorized wins', async ({ expect }) => {
    let other: () => Promise<void> = async () => {};
    await using asked = await asking(undefined, {
      authorize: async () => {
        await other();
        return true;
      },
    });
    const { fleet, approval, database, schema } = asked;
    const { id, hash } = approval;
    await using second = await openFleet({ database, schema, limits });
    other = () => second.answer(id, deny('no'), { by: 'bob', hash });
    await expect(fleet.answer(id, allow(), { by: 'ann', hash })).rejects.toMatchObject({
      code: 'approval-closed',
      by: 'bob',
    });
  });
});

describe.concurrent('the audit of approvals', () => {
  it('[F-33] records who asked, who saw it, who answered, what was refused and what became void, in pages', async ({
    expect,
  }) => {
    await using asked = await asking();
    const { fleet, turn, worker, approval } = asked;
    const { id, hash } = approval;
    for (let times = 0; times < 2; times += 1) await fleet.seen(id, { by: 'ann', from: 'cox' });
    await fleet.cancel(turn.id, { by: 'ann' });
    await turn.outcome();
    await expect(fleet.answer(id, allow(), { by: 'eve', hash })).rejects.toMatchObject({ state: 'void' });
    const all = await fleet.audit();
    expect(all).toMatchObject([
      { kind: 'requested', worker: worker.id, turn: turn.id, key: 'ann', detail: { tool: 'Bash', agent: null } },
      { kind: 'seen', by: 'ann', from: 'cox' },
      { kind: 'void', worker: worker.id },
      { kind: 'refused', by: 'eve', detail: { why: 'approval-closed' } },
    ]);
    for (const record of all) expect(record).toMatchObject({ approval: id, hash, databaseUser: 'postgres' });
    expect(JSON.stringify(all)).not.toContain('make');
    const [first] = await fleet.audit({ limit: 1 });
    expect(await fleet.audit({ after: first?.n ?? 0 })).toEqual(all.slice(1));
    expect(await fleet.audit({ by: 'eve', kind: 'refused', key: 'ann', tenant: 'default' })).toHaveLength(1);
    await expect(fleet.seen('none', { by: 'ann' })).rejects.toMatchObject({ code: 'not-in-fleet' });
    await expect(fleet.audit({ kind: 'guessed' as never })).rejects.toMatchObject({ field: 'kind' });
  });

  it('[F-33] is read in pages without a gap while records are written at the same time', async ({ expect }) => {
    await using asked = await asking();
    const { fleet, approval, database, schema } = asked;
    const slow = new pg.Client({ connectionString: database });
    await slow.connect();
    await slow.query('begin');
    await slow.query(
      `insert into ${schema}.approval_audit (kind, approval, key, turn, tenant) values ('seen', 'slow', 'k', 't', 'd')`,
    );
    await fleet.seen(approval.id, { by: 'ann' });
    const page = fleet.audit({ after: 0 });
    // Long enough for a reader that does not wait.
    await fleet.stats();
    await slow.query('commit');
    await slow.end();
    const records = [...(await page)];
    records.push(...(await fleet.audit({ after: records.at(-1)?.n ?? 0 })));
    expect(records.map((record) => record.approval)).toEqual([approval.id, 'slow', approval.id]);
  });

  it('[F-14, F-33] cannot be changed or removed, even by the owner of the tables; prune({ auditBefore }) removes what is older', async ({
    expect,
  }) => {
    await using asked = await asking();
    const { fleet, database, schema } = asked;
    const table = `${schema}.approval_audit`;
    for (const statement of [`update ${table} set by = 'eve'`, `delete from ${table}`, `truncate ${table}`])
      await expect(sql(database, statement), statement).rejects.toMatchObject({ code: '42501' });
    const day = 24 * 3_600_000;
    expect(await fleet.prune({ auditBefore: day, turnsBefore: day })).toMatchObject({ audited: 0 });
    expect(await fleet.audit()).toHaveLength(1);
    expect(await fleet.prune({ turnsBefore: 0 })).toMatchObject({ audited: 0 });
    expect(await fleet.prune({ auditBefore: 0 })).toMatchObject({ audited: 1 });
    expect(await fleet.audit()).toEqual([]);
  });
});
