import { decideLater, deny, type PermissionRequest, type Session } from 'coxswain';
import { CannotParkError, TurnParkedError } from 'coxswain/errors';
import { expect, it, vi } from 'vitest';
import type { Stages } from '../../src/approval/terms.ts';
import type { Queue } from '../../src/queue/queue.ts';
import { Approvals } from '../../src/worker/approvals.ts';
import type { Claim } from '../../src/worker/claim.ts';
import type { ParkedClaim } from '../../src/worker/parked-claim.ts';
import { TurnParking } from '../../src/worker/turn-parking.ts';
import type { TurnWriter } from '../../src/worker/writer.ts';

const RESUMED = { approval: 'first', requestId: 'r0', parked: { request: { toolUseId: 'toolu_1' } } } as ParkedClaim;
const LOST = { lost: 'database' } as const;

/** A run whose agent asked for a second call, while the answer to it is being delivered: the session keeps it parked. */
async function interruptedDelivery(resumed: ParkedClaim | undefined) {
  const events: string[] = [];
  const writer = {
    statement: () => {},
    event: ({ body }: { body: string }) => void events.push(body),
    flush: async () => {},
    fence: {},
  };
  const claim = { id: 't1', key: 'ann', tenant: 'default', parked: resumed } as Claim;
  const queue = { announce: async () => {}, setTimer: async () => {} };
  // The fakes have what these paths use.
  const approvals = new Approvals(claim, writer as unknown as TurnWriter, queue as unknown as Queue);
  const never = new Promise<void>(() => {});
  const session = { parkable: async () => undefined, answerPermission: () => never, close: async () => {} };
  const parking = new TurnParking(approvals, {
    parkAfterMs: undefined,
    session: () => session as unknown as Session,
    onError: () => {},
  });
  const request = { id: 'r1', toolName: 'Bash', toolUseId: 'toolu_2' } as PermissionRequest;
  const terms = async (): Promise<Stages> => ({ stages: [{ groups: null, untilMs: null }], denyReason: '' });
  await approvals.read(request);
  await approvals.withApprovals(async () => decideLater(), terms)(request, {} as never);
  const answer = deny('no');
  const row = {
    turn: 't1',
    request_id: 'r1',
    state: 'answered',
    answer,
    stored: '',
    answer_hash: '',
    deny_reason: null,
  };
  void approvals.deliver(session as unknown as Session, row as never).catch(() => {});
  return { parking, approvals, approval: approvalIn(events[0]) };
}

it.each([
  ['a new turn', undefined],
  ['a resumed turn', RESUMED],
])(
  '[F-8, F-35] %s that ends while an answer is being delivered waits with that answer, not with an earlier one',
  async (_, resumed) => {
    const { parking, approval } = await interruptedDelivery(resumed);
    expect(approval).toMatch(/^[0-9a-f-]{36}$/);
    const ended = new TurnParkedError('s1', 'toolu_2');
    expect(await parking.approvalAfter(ended, resumed, LOST)).toBe(approval);
  },
);

it('[F-35] a resumed turn that ends before its answer was given waits with that answer again', async () => {
  const { parking } = await interruptedDelivery(RESUMED);
  expect(await parking.approvalAfter(new TurnParkedError('s1', 'toolu_1'), RESUMED, LOST)).toBe('first');
});

it('[F-8, F-35] a request whose call could not be stored during an outage can be resumed once it is stored', async () => {
  vi.useFakeTimers();
  try {
    const stored: unknown[][] = [];
    const sql = { query: async (_: string, values: unknown[]) => void stored.push(values) };
    const writer = {
      statement: (work: (sql: unknown) => Promise<void>) => void work(sql).catch(() => {}),
      event: () => {},
      flush: async () => {},
      fence: {},
    };
    const claim = { id: 't1', key: 'ann', tenant: 'default', parked: undefined } as unknown as Claim;
    // The fakes have what these paths use.
    const approvals = new Approvals(claim, writer as unknown as TurnWriter, {} as unknown as Queue);
    const parked = { sessionId: 's1' };
    let attempts = 0;
    const parkable = async () => {
      attempts += 1;
      if (attempts < 4) throw new CannotParkError('r1', 'not-stored');
      return parked;
    };
    new TurnParking(approvals, {
      parkAfterMs: Number.POSITIVE_INFINITY,
      session: () => ({ parkable }) as unknown as Session,
      onError: () => {},
    });
    const request = { id: 'r1', toolName: 'Bash', toolUseId: 'toolu_1' } as PermissionRequest;
    await approvals.read(request);
    const terms = async (): Promise<Stages> => ({ stages: [{ groups: null, untilMs: null }], denyReason: '' });
    const asking = approvals.withApprovals(async () => decideLater(), terms)(request, {} as never);
    await vi.advanceTimersByTimeAsync(5_000);
    await asking;
    expect(approvals.parkable).toMatchObject({ requestId: 'r1' });
    expect(stored).toContainEqual([expect.any(String), JSON.stringify(parked)]);
    expect(attempts).toBe(4);
  } finally {
    vi.useRealTimers();
  }
});

it('[F-8] a call whose answer the agent got is not waited for', async () => {
  const { parking, approvals } = await interruptedDelivery(RESUMED);
  approvals.close('r1', 'deny');
  expect(await parking.approvalAfter(new TurnParkedError('s1', 'toolu_2'), RESUMED, LOST)).toBeUndefined();
});

function approvalIn(event = '{}'): string {
  const { approval = '' }: { approval?: string } = JSON.parse(event);
  return approval;
}
