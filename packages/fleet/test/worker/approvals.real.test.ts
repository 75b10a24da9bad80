import { openFleet } from '@coxswain/fleet';
import { allow, answerQuestions, decideLater, type PermissionRequest, requestHash, type Session } from 'coxswain';
import { OptionsError } from 'coxswain/errors';
import { expect, it } from 'vitest';
import type { Stages } from '../../src/approval/terms.ts';
import { Database, type Transaction } from '../../src/database/database.ts';
import type { Queue } from '../../src/queue/queue.ts';
import { Approvals } from '../../src/worker/approvals.ts';
import type { Claim } from '../../src/worker/claim.ts';
import type { TurnWriter } from '../../src/worker/writer.ts';
import { quick as limits } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';

it('[F-8] an answer that does not fit and is read twice does not reset a newer answer', async () => {
  const { database: url, schema } = await testDatabase();
  await using fleet = await openFleet({ database: url, schema, limits });
  const { id, key } = await fleet.submit({ key: 'ann', prompt: 'build' });
  const database = new Database({ url, schema, connections: 1, leaseMs: 10_000 });
  const writes: ((sql: Transaction) => Promise<void>)[] = [];
  const store = (): Promise<void> => {
    const write = writes.shift();
    return write === undefined ? Promise.reject(new Error('Nothing is to be written.')) : database.transaction(write);
  };
  // The test decides when to write.
  const writer = { statement: (write: never) => writes.push(write), event: () => {}, flush: async () => {}, fence: {} };
  const approvals = new Approvals(
    { id, key, tenant: 'default' } as Claim,
    writer as unknown as TurnWriter,
    { announce: async () => {}, setTimer: async () => {} } as unknown as Queue,
  );
  const request = { id: 'r1', toolName: 'Bash' } as PermissionRequest;
  const terms = async (): Promise<Stages> => ({ stages: [{ groups: null, untilMs: null }], denyReason: '' });
  await approvals.read(request);
  await approvals.withApprovals(async () => decideLater(), terms)(request, {} as never);
  await store();

  const unfit = answerQuestions({ 'Which boat?': 'Eight' });
  const stored = JSON.stringify(unfit);
  await sql(url, `update ${schema}.approval set state = 'answered', answer = $1, answer_hash = hash`, [stored]);
  const session = { answerPermission: () => Promise.reject(new OptionsError([{ path: 'answer', message: 'unfit' }])) };
  for (let reads = 0; reads < 2; reads += 1) {
    const delivered = approvals.deliver(session as unknown as Session, {
      turn: id,
      request_id: 'r1',
      state: 'answered',
      answer: unfit,
      stored,
      answer_hash: requestHash(request),
      deny_reason: null,
    });
    await expect(delivered).rejects.toMatchObject({ code: 'options' });
  }
  // Each read was noted as delivered, then opened the approval again.
  await store();
  await store();
  const [open] = await fleet.approvals();
  await fleet.answer(open?.id ?? '', allow(), { by: 'bob', hash: open?.hash ?? '' });
  await store();
  await store();
  expect(await fleet.approvals({ state: 'answered' })).toMatchObject([{ by: 'bob', answer: { decision: 'allow' } }]);
  expect(await sql(url, `select delivered from ${schema}.approval`)).toEqual([{ delivered: false }]);
  await database.close();
});
