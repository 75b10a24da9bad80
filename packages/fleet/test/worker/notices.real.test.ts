import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ApprovalNotice, openFleet, startWorker, verifyWebhook } from '@coxswain/fleet';
import { allow } from 'coxswain';
import { PgBoss } from 'pg-boss';
import { describe, it, type onTestFinished } from 'vitest';
import { quick as limits, scriptedAgent } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';

const secrets = [`whsec_${Buffer.alloc(32, 9).toString('base64')}`];
const agent = scriptedAgent((turn) =>
  turn.useTool('Bash', { command: 'make' }, { result: 'made', permission: 'ask' }).say('built'),
);

interface Receiver {
  readonly url: string;
  /** Verified webhooks, also those that were refused with a status of `statuses`. */
  readonly received: { id: string; notice: ApprovalNotice }[];
  /** The next responses; 200 when they are used up. */
  readonly statuses: number[];
}

async function receiver(finished: typeof onTestFinished, ...statuses: number[]): Promise<Receiver> {
  const received: Receiver['received'] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push(verifyWebhook(request.headers, Buffer.concat(chunks), secrets));
      response.writeHead(statuses.shift() ?? 200).end();
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  finished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook-token`, received, statuses };
}

describe.concurrent('notices about approvals', () => {
  it('[F-34] the webhook and onApproval() are notified about the request and its end, with what an answer needs', async ({
    expect,
    onTestFinished,
  }) => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    const { url, received } = await receiver(onTestFinished);
    const calls: ApprovalNotice[] = [];
    const onApproval = async (notice: ApprovalNotice): Promise<void> => {
      calls.push(notice);
      const { id, hash } = notice.data;
      if (notice.type === 'approval.requested') await fleet.answer(id, allow(), { by: 'bot', hash });
    };
    await using _worker = await startWorker({ ...place, limits, agent, notify: { url, secrets }, onApproval });
    const turn = await fleet.submit({ key: 'ann', prompt: 'build' });
    expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'built' });
    await expect.poll(() => received.length, { timeout: 20_000 }).toBe(2);
    await expect.poll(() => calls.length, { timeout: 20_000 }).toBe(2);
    const [requested, answered] = received
      .map(({ notice }) => notice)
      .sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
    expect(requested).toMatchObject({
      type: 'approval.requested',
      data: { key: 'ann', turn: turn.id, request: { toolName: 'Bash', input: { command: 'make' } } },
    });
    expect(answered).toMatchObject({
      type: 'approval.answered',
      data: { state: 'answered', by: 'bot', decision: 'allow' },
    });
    expect(calls.map(({ type }) => type)).toEqual(['approval.requested', 'approval.answered']);
    expect(new Set(received.map(({ id }) => id)).size).toBe(2);
  });

  it('[F-34] a notice that is not accepted is sent again with the same id, and reported; nothing of the address or the secrets is stored', async ({
    expect,
    onTestFinished,
  }) => {
    const place = await testDatabase();
    const { database, schema } = place;
    await using fleet = await openFleet({ ...place, limits });
    const { url, received } = await receiver(onTestFinished, 500);
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    await using _worker = await startWorker({ ...place, limits, agent, notify: { url, secrets }, onError });
    const turn = await fleet.submit({ key: 'ann', prompt: 'build' });
    await expect.poll(() => received.length, { timeout: 20_000 }).toBe(2);
    expect(received[1]?.id).toBe(received[0]?.id);
    expect(errors).toMatchObject([
      { code: 'approval-notice', kind: 'requested', target: 'webhook', attempt: 1, isFinal: false, reason: 'HTTP 500' },
    ]);
    await fleet.cancel(turn.id, { by: 'ann' });
    await expect.poll(() => received.at(-1)?.notice.type, { timeout: 20_000 }).toBe('approval.void');
    const tables = await sql(database, 'select tablename from pg_tables where schemaname = $1', [schema]);
    const rows = await Promise.all(
      tables.map(({ tablename }) => sql(database, `select t::text from ${schema}.${tablename} t`)),
    );
    const stored = JSON.stringify([rows, errors.map(String)]);
    expect(stored).toContain('approval-webhooks');
    expect(stored).not.toMatch(/hook-token|whsec_|127\.0\.0\.1:/);
  });

  it('[F-34] a receiver that is gone gets no more; a notice of a worker that died while it sent is sent again', async ({
    expect,
    onTestFinished,
  }) => {
    const place = await testDatabase();
    const { database, schema } = place;
    await using fleet = await openFleet({ ...place, limits });
    const { url, received } = await receiver(onTestFinished, 410);
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    const first = await startWorker({ ...place, limits, agent, notify: { url, secrets }, onError });
    const turn = await fleet.submit({ key: 'ann', prompt: 'build' });
    await expect.poll(() => errors, { timeout: 20_000 }).toMatchObject([{ reason: 'HTTP 410', isFinal: true }]);
    const waiting = `select 1 from ${schema}.job where name = 'approval-webhooks' and state in ('created', 'retry', 'active')`;
    expect(await sql(database, waiting)).toEqual([]);
    await first.stop();
    expect((await turn.info()).state).toBe('parked');
    // As a worker leaves it that was killed two minutes ago, between the fetch and the response.
    await sql(
      database,
      `update ${schema}.job set state = 'active', started_on = now() - interval '3 minutes', completed_on = null
       where name = 'approval-webhooks' and data->>'kind' = 'requested'`,
    );
    const before = received.length;
    // What every worker does once a minute.
    const maintenance = new PgBoss({ connectionString: database, schema, supervise: false, schedule: false });
    maintenance.on('error', () => {});
    await maintenance.start();
    await maintenance.supervise('approval-webhooks');
    await maintenance.stop({ graceful: false });
    await using _second = await startWorker({ ...place, limits, agent, notify: { url, secrets } });
    await expect
      .poll(() => received.slice(before).map(({ notice }) => notice.type), { timeout: 20_000 })
      .toContain('approval.requested');
    expect(received.at(-1)?.id).toBeDefined();
  });

  it('[F-21, F-28, F-32, F-34] jobs that another program has queued keep neither a notice, an expiry nor a schedule waiting', async ({
    expect,
    onTestFinished,
  }) => {
    const place = await testDatabase();
    const { database, schema } = place;
    await using fleet = await openFleet({ ...place, limits });
    // A role that may submit can do this.
    await sql(
      database,
      `insert into ${schema}.job_common (name, data, retry_limit, expire_seconds, deletion_seconds, policy)
       select name, data::jsonb, 1000, 900, 60, 'standard'
       from unnest(array['approval-webhooks', 'approval-timers', 'scheduled', 'turns']) name,
            unnest(array[null, '5', '[]', '{"approval":{"id":1},"kind":7,"failures":"x"}', '{"approval":"none","kind":"x"}']) data`,
    );
    const { url, received } = await receiver(onTestFinished);
    const errors: unknown[] = [];
    await using _worker = await startWorker({
      ...place,
      limits,
      agent: { ...agent, approvals: () => ({ expiresAfterMs: 100 }) },
      notify: { url, secrets },
      onError: (error) => errors.push(error),
    });
    const turn = await fleet.submit({ key: 'ann', prompt: 'build' });
    expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'built' });
    await expect.poll(() => received.at(-1)?.notice.type, { timeout: 20_000 }).toBe('approval.expired');
    const scheduled = `select 1 from ${schema}.job where name = 'scheduled' and state in ('created', 'retry')`;
    await expect.poll(() => sql(database, scheduled), { timeout: 20_000 }).toEqual([]);
    expect(errors).toContainEqual(expect.objectContaining({ code: 'scheduled-run' }));
  });

  it('[F-34] workers without a target queue nothing and fetch nothing', async ({ expect }) => {
    const place = await testDatabase();
    await using fleet = await openFleet({ ...place, limits });
    await using _worker = await startWorker({ ...place, limits, agent });
    const turn = await fleet.submit({ key: 'ann', prompt: 'build' });
    for await (const item of turn.follow())
      if (item.kind === 'permission-requested')
        await fleet.answer(item.approval ?? '', allow(), { by: 'ann', hash: item.hash });
    const jobs = `select 1 from ${place.schema}.job where name in ('approval-webhooks', 'approval-calls')`;
    expect(await sql(place.database, jobs)).toEqual([]);
  });
});
