import { readFileSync } from 'node:fs';
import { type Fleet, type FleetRole, fleetGrants, openFleet, startWorker } from '@coxswain/fleet';
import { requestHash } from 'coxswain';
import { beforeAll, describe, expect, it } from 'vitest';
import { quick as limits, scriptedAgent } from '../support/agents.ts';
import { SERVER_LOG, sql, testDatabase } from '../support/database.ts';

const allow = { decision: 'allow' } as const;
const agent = scriptedAgent((turn, job) =>
  job.prompt === 'ask'
    ? turn.useTool('Bash', { command: 'make' }, { permission: 'ask' }).say('made')
    : turn.say(`did ${String(job.prompt)}`),
);
const nightly = { name: 'nightly', cron: '0 3 * * *', timeZone: 'UTC', key: 'night', prompt: 'Run the tests.' };
/** The server's message for a missing privilege. */
const refused = { code: 'database-unavailable', reason: '42501' };

const bash = { id: 'r', kind: 'tool', toolName: 'Bash', input: { command: 'make' }, suggestions: [] };

/** Answers the approval that waits, as a person would who has seen it. */
const answerOpen = (fleet: Fleet, by: string): Promise<void> =>
  fleet.answer('open', allow, { by, hash: requestHash(bash) });

/** Number of refusals in the server's log; the queue does not report its own failures. */
const refusals = (): number => readFileSync(SERVER_LOG, 'utf8').split('permission denied').length - 1;

interface Roles {
  /** The URL of the user that creates and upgrades the tables; not a superuser. */
  readonly owner: string;
  readonly schema: string;
  readonly urlOf: (role: FleetRole) => string;
  readonly as: (role: FleetRole) => Promise<Fleet>;
}

/** A fleet whose tables belong to an owner, and one user for each role. */
async function fleetWithRoles(): Promise<Roles> {
  const { database, schema } = await testDatabase();
  const url = (user: string): string => database.replace('postgres@', `${user}@`);
  const owner = url(`${schema}_owner`);
  await sql(
    database,
    `create role ${schema}_owner login createrole; grant create on database postgres to ${schema}_owner`,
  );
  await (await openFleet({ database: owner, schema, limits })).close();
  await sql(owner, fleetGrants({ schema }));
  for (const role of ['submitter', 'approver', 'worker', 'reader'])
    await sql(database, `create role ${schema}_${role}_user login in role ${schema}_${role}`);
  const urlOf = (role: FleetRole): string => url(`${schema}_${role}_user`);
  const as = (role: FleetRole): Promise<Fleet> => openFleet({ database: urlOf(role), schema, limits, create: false });
  return { owner, schema, urlOf, as };
}

describe('the roles of a fleet', () => {
  let roles: Roles;
  beforeAll(async () => {
    roles = await fleetWithRoles();
  });

  it('[F-20] each role does its own job: one submits, one runs the turn, one approves, one reads', async () => {
    const { schema, urlOf, as } = roles;
    const before = refusals();
    await using submitter = await as('submitter');
    await using approver = await as('approver');
    const told: string[] = [];
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    await using worker = await startWorker({
      database: urlOf('worker'),
      schema,
      limits,
      create: false,
      agent: { ...agent, approvals: () => ({ groups: ['release'], expiresAfterMs: 3_600_000 }) },
      onApproval: ({ type }) => void told.push(type),
      onError,
    });
    const turn = await submitter.submit({ key: 'ann', prompt: 'ask', id: 'one', tenant: 'acme' });
    expect((await submitter.submit({ key: 'ann', prompt: 'ask', id: 'one', tenant: 'acme' })).id).toBe('one');
    await expect.poll(() => approver.approvals(), { timeout: 20_000 }).toHaveLength(1);
    const [approval] = await approver.approvals();
    await approver.answer(approval?.id ?? '', allow, { by: 'bob', hash: approval?.hash ?? '', groups: ['release'] });
    expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'made' });
    await expect.poll(() => told, { timeout: 20_000 }).toEqual(['approval.requested', 'approval.answered']);
    expect((await approver.audit()).map(({ kind, databaseUser }) => [kind, databaseUser])).toEqual([
      ['requested', `${schema}_worker_user`],
      ['answered', `${schema}_approver_user`],
      ['delivered', `${schema}_worker_user`],
    ]);
    const again = await submitter.resend('one');
    await submitter.cancel(again.id, { by: 'ann' });
    expect((await again.outcome()).outcome.kind).toMatch(/cancelled|interrupted/);
    await submitter.schedule(nightly);
    expect(await submitter.schedules()).toEqual([nightly]);

    await worker.check();
    expect(refusals()).toBe(before);
    await using reader = await as('reader');
    for await (const { kind } of reader.events({ after: '0.0' })) {
      expect(kind).toBe('worker-started');
      break;
    }
    const followed: string[] = [];
    for await (const { kind } of (await reader.turn('one')).follow()) followed.push(kind);
    expect(followed.at(-1)).toBe('outcome');
    expect(await reader.turns({ key: 'ann' })).toHaveLength(2);
    expect(await reader.conversations()).toMatchObject([{ key: 'ann', turns: 2 }]);
    expect((await reader.transcript('ann')).length).toBeGreaterThan(0);
    expect(await reader.approvals({ state: 'answered' })).toMatchObject([{ by: 'bob' }]);
    expect(await reader.stats()).toMatchObject({ workers: [{ id: worker.id }] });
    expect(await reader.metrics()).toContain('coxswain_fleet_workers_alive 1');
    expect(await reader.quotas()).toEqual([]);
    expect(await reader.spend()).toMatchObject([{ tenant: 'acme' }]);
    expect(await reader.schedules()).toEqual([nightly]);
    await submitter.unschedule('nightly');
    await worker.drain();
    expect(errors).toEqual([]);
  });

  it('[F-7, F-20] a reader follows a turn live, although it cannot mark the conversation as followed', async () => {
    const { schema, urlOf, as } = roles;
    await using submitter = await as('submitter');
    await using reader = await as('reader');
    const turn = await submitter.submit({ key: 'live', prompt: 'two' });
    const ended = (await reader.turn(turn.id)).outcome();
    await using _worker = await startWorker({ database: urlOf('worker'), schema, limits, create: false, agent });
    expect((await ended).outcome).toMatchObject({ kind: 'completed', text: 'did two' });
  });

  it('[F-20, F-43, F-44, F-45, F-46] the roles suffice for groups, attributes, limits and retries', async () => {
    const { schema, urlOf, as } = roles;
    const errors: unknown[] = [];
    await using submitter = await as('submitter');
    await using reader = await as('reader');
    const group = await submitter.submitMany(
      [
        { key: 'g1', prompt: 'one', attributes: { job: 'nightly' } },
        { key: 'g2', prompt: 'fails', maxUsdPerTurn: 1 },
        { key: 'g3', prompt: 'fails', retry: { outcomes: ['execution-error'], backoffMs: 3_600_000 } },
      ],
      { group: 'g' },
    );
    const seen = (await reader.group('g')).done();
    const failing = scriptedAgent((turn, { prompt }) => (prompt === 'fails' ? turn.fail('broken') : turn.say('ok')));
    const retrying = { ...failing, retry: { outcomes: ['execution-error'], backoffMs: 0, attempts: 2 } as const };
    await using _worker = await startWorker({
      database: urlOf('worker'),
      schema,
      limits,
      create: false,
      agent: retrying,
      onError: (error) => void errors.push(error),
    });
    await expect
      .poll(async () => (await (await reader.turn('g-3')).info()).retryAt, { timeout: 20_000 })
      .toEqual(expect.any(Number));
    expect(await submitter.cancel('g-3', { by: 'ann' })).toBe('take-out');
    const kinds = (await group.done()).map(({ outcome }) => outcome.kind);
    expect(kinds).toEqual(['completed', 'execution-error', 'interrupted']);
    expect((await seen).map(({ outcome }) => outcome.kind)).toEqual(kinds);
    expect(await reader.groups()).toMatchObject([{ id: 'g', size: 3, done: 3 }]);
    expect(await reader.turns({ attributes: { job: 'nightly' } })).toMatchObject([{ id: 'g-1', group: 'g' }]);
    expect(errors).toEqual([]);
  });

  it('[F-8, F-20] an answer that the agent refuses reopens the approval for another answer', async () => {
    const { schema, urlOf, as } = roles;
    await using submitter = await as('submitter');
    await using approver = await as('approver');
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    const shared = { database: urlOf('worker'), schema, limits, create: false, agent, onError };
    await using _worker = await startWorker(shared);
    const turn = await submitter.submit({ key: 'unfit', prompt: 'ask' });
    const open = (): ReturnType<Fleet['approvals']> => approver.approvals({ key: 'unfit' });
    await expect.poll(open, { timeout: 20_000 }).toHaveLength(1);
    const [approval] = await open();
    // The options of the agent do not allow answers that change permissions.
    const rules = {
      type: 'addRules',
      rules: [{ toolName: 'Bash' }],
      behavior: 'allow',
      destination: 'session',
    } as const;
    await approver.answer(
      approval?.id ?? '',
      { ...allow, updatedPermissions: [rules] },
      { by: 'eve', hash: approval?.hash ?? '' },
    );
    await expect.poll(open, { timeout: 20_000 }).toMatchObject([{ by: null, answer: null, answeredAt: null }]);
    // The worker may read the answer once more before the approval is open again.
    expect(errors).not.toEqual([]);
    for (const error of errors) expect(error).toMatchObject({ code: 'options' });
    await approver.answer(approval?.id ?? '', allow, { by: 'bob', hash: approval?.hash ?? '' });
    expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'made' });
    expect(await approver.approvals({ key: 'unfit', state: 'answered' })).toMatchObject([{ by: 'bob' }]);
  });

  it('[F-20, F-35] the roles suffice for parked turns: one parks and resumes, one reads since when and answers, one cancels', async () => {
    const { schema, urlOf, as } = roles;
    const before = refusals();
    await using submitter = await as('submitter');
    await using approver = await as('approver');
    const parking = { ...agent, parkAfterMs: 0 };
    await using _worker = await startWorker({
      database: urlOf('worker'),
      schema,
      limits,
      create: false,
      agent: parking,
    });
    const [kept, dropped] = [
      await submitter.submit({ key: 'kept', prompt: 'ask' }),
      await submitter.submit({ key: 'dropped', prompt: 'ask' }),
    ];
    const parked = async (): Promise<unknown[]> =>
      (await approver.approvals()).filter(({ parkedAt }) => parkedAt !== null);
    await expect.poll(parked, { timeout: 20_000 }).toHaveLength(2);
    const behind = await submitter.submit({ key: 'kept', prompt: 'two' });
    const [approval] = await approver.approvals({ key: 'kept' });
    await approver.answer(approval?.id ?? '', allow, { by: 'bob', hash: approval?.hash ?? '' });
    await submitter.cancel(dropped.id, { by: 'ann' });
    expect((await kept.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'made' });
    expect((await behind.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'did two' });
    expect((await dropped.outcome()).outcome).toMatchObject({ kind: 'interrupted', by: 'cancel' });
    expect(refusals()).toBe(before);
  });

  it.each<[FleetRole, Readonly<Record<string, (fleet: Fleet) => Promise<unknown>>>]>([
    [
      'submitter',
      {
        answer: (fleet) => answerOpen(fleet, 'ann'),
        'read tool inputs': (fleet) => fleet.approvals(),
        'read transcripts': (fleet) => fleet.transcript('ann'),
        follow: async (fleet) => (await fleet.turn('one')).follow().next(),
        'set a quota': (fleet) => fleet.setQuota('ann', { maxConcurrent: 9 }),
        pause: (fleet) => fleet.pause(new Date()),
        prune: (fleet) => fleet.prune({ turnsBefore: 0 }),
      },
    ],
    [
      'approver',
      {
        submit: (fleet) => fleet.submit({ key: 'ann', prompt: 'x', tenant: 'acme' }),
        cancel: (fleet) => fleet.cancel('one'),
        schedule: (fleet) => fleet.schedule(nightly),
        'read prompts': (fleet) => fleet.turns(),
        'read transcripts': (fleet) => fleet.transcript('ann'),
        'set a quota': (fleet) => fleet.setQuota('ann', null),
        prune: (fleet) => fleet.prune({ turnsBefore: 0 }),
        'remove the audit': (fleet) => fleet.prune({ auditBefore: 0 }),
      },
    ],
    [
      'worker',
      {
        answer: (fleet) => answerOpen(fleet, 'the agent'),
        'read the audit': (fleet) => fleet.audit(),
        schedule: (fleet) => fleet.schedule(nightly),
        'set a quota': (fleet) => fleet.setQuota('ann', { maxConcurrent: 9 }),
        prune: (fleet) => fleet.prune({ turnsBefore: 0 }),
      },
    ],
    [
      'reader',
      {
        submit: (fleet) => fleet.submit({ key: 'ann', prompt: 'x', tenant: 'acme' }),
        cancel: (fleet) => fleet.cancel('one'),
        answer: (fleet) => answerOpen(fleet, 'ann'),
        'record who saw it': (fleet) => fleet.seen('open', { by: 'ann' }),
        schedule: (fleet) => fleet.schedule(nightly),
        unschedule: (fleet) => fleet.unschedule('nightly'),
        'set a quota': (fleet) => fleet.setQuota('ann', null),
        pause: (fleet) => fleet.pause(new Date()),
        prune: (fleet) => fleet.prune({ turnsBefore: 0 }),
      },
    ],
  ])('[F-20] a %s cannot do the jobs of the other roles', async (role, calls) => {
    await using fleet = await roles.as(role);
    const { owner, schema } = roles;
    await sql(
      owner,
      `insert into ${schema}.approval (id, key, turn, tenant, request_id, request, hash)
       values ('open', 'k', 't', 'd', 'r', $1, $2) on conflict do nothing`,
      [JSON.stringify(bash), requestHash(bash)],
    );
    const before = await sql(owner, `select id, state from ${schema}.turn order by id`);
    for (const [job, call] of Object.entries(calls)) {
      await expect(call(fleet), job).rejects.toMatchObject(refused);
      await expect(call(fleet), job).rejects.toThrow('cox fleet grants');
    }
    expect(await sql(owner, `select id, state from ${schema}.turn order by id`)).toEqual(before);
  });

  it.each<FleetRole>(['submitter', 'approver', 'reader'])('[F-20] a %s cannot run turns', async (role) => {
    const { schema, urlOf } = roles;
    // The retries are for an unreachable database, not for a missing grant.
    const connectTimeoutMs = 3_600_000;
    const starting = startWorker({ database: urlOf(role), schema, limits, create: false, agent, connectTimeoutMs });
    await expect(starting).rejects.toMatchObject(refused);
  });

  it.each<FleetRole>(['submitter', 'approver', 'worker', 'reader'])(
    '[F-14, F-20] a %s cannot create or upgrade tables; their owner can',
    async (role) => {
      const { owner, schema, urlOf } = roles;
      const opening = openFleet({ database: urlOf(role), schema, limits, connectTimeoutMs: 3_600_000 });
      await expect(opening).rejects.toMatchObject(refused);
      for (const statement of ['drop table turn', 'alter table turn add column x text', 'create table mine (x text)'])
        await expect(sql(urlOf(role), `set search_path to ${schema}; ${statement}`)).rejects.toMatchObject({
          code: '42501',
        });
      await using fleet = await openFleet({ database: owner, schema, limits });
      expect((await fleet.health()).reachable).toBe(true);
    },
  );

  it('[F-8, F-20] the user of a worker cannot write an answer with its own SQL, or delete from the log', async () => {
    const { schema, urlOf } = roles;
    const yes = `'{"decision":"allow"}'`;
    for (const statement of [
      `update ${schema}.approval set state = 'answered', answer = ${yes}, answered_by = 'bob'`,
      `update ${schema}.approval set answered_by = 'bob'`,
      `update ${schema}.approval set request = '{}'`,
      `update ${schema}.approval set hash = '', answer_hash = ''`,
      `update ${schema}.approval set stages = null, expires_at = null`,
      `insert into ${schema}.approval (id, key, turn, tenant, request_id, request, state, answer) values ('1', 'a', 't', 'd', 'r', '{}', 'answered', ${yes})`,
      `delete from ${schema}.approval`,
      `update ${schema}.tenant set max_usd_per_day = null`,
      `delete from ${schema}.log`,
      `delete from ${schema}.approval_audit`,
      `update ${schema}.approval_audit set by = 'bob'`,
      `insert into ${schema}.approval_audit (kind, approval, key, turn, tenant, db_user) values ('seen', 'a', 'k', 't', 'd', 'bob')`,
      `insert into ${schema}.approval_audit (kind, approval, key, turn, tenant, at) values ('seen', 'a', 'k', 't', 'd', now())`,
      `update ${schema}.fleet_version set version = 1`,
    ])
      await expect(sql(urlOf('worker'), statement), statement).rejects.toMatchObject({ code: '42501' });
  });

  it('[F-20] grants can be run again, and revoke what was granted by hand', async () => {
    const { owner, schema, urlOf } = roles;
    await sql(owner, `grant delete on ${schema}.turn to ${schema}_reader`);
    await sql(owner, fleetGrants({ schema }));
    await expect(sql(urlOf('reader'), `delete from ${schema}.turn`)).rejects.toMatchObject({ code: '42501' });
    await using reader = await roles.as('reader');
    expect(await reader.turns({ limit: 1 })).toHaveLength(1);
  });
});

describe('fleetGrants()', () => {
  it('[F-16, F-20] names the roles after the schema or a prefix, and refuses invalid names', () => {
    expect(fleetGrants()).toContain('"coxswain_submitter"');
    expect(fleetGrants({ schema: 'boats', prefix: 'team' })).toContain(`on "boats"."approval" to "team_approver";`);
    for (const [field, given] of Object.entries({ schema: 'a"; drop', prefix: `x'`, roles: [] }))
      expect(() => fleetGrants({ [field]: given })).toThrow(expect.objectContaining({ code: 'fleet-input', field }));
  });
});
