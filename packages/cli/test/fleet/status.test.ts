import { DatabaseUnavailableError, type FleetStats } from '@coxswain/fleet';
import { describe, expect, it } from 'vitest';
import { watchStatus } from '../../src/fleet/show-status.ts';
import { statusLines } from '../../src/fleet/status.ts';
import { plain } from '../../src/render/paint.ts';
import type { Terminal } from '../../src/terminal/terminal.ts';

describe('the status of a fleet', () => {
  it('[L-2] shows turns that run and wait, pauses, quotas and lost workers', () => {
    const worker = {
      id: '1',
      name: 'a:1',
      host: 'a',
      pid: 1,
      slots: 4,
      running: 2,
      warm: 3,
      agents: [{ name: 'default', version: null, cli: null }],
      draining: false,
      alive: true,
      startedAt: 0,
      heartbeatAt: 99_000,
    };
    const used = { running: 0, waiting: 1, usdToday: 0, usdReserved: 0 };
    const lines = statusLines(
      {
        turns: { waiting: 3, delayed: 1, running: 2, parked: 4, doneLastHour: 5 },
        outcomesLastHour: { completed: 4, dead: 1 },
        oldestWaitMs: 61_000,
        groupsOpen: 2,
        approvalsPending: 1,
        workers: [worker, { ...worker, name: 'b:2', alive: false }, { ...worker, name: 'c:3', draining: true }],
        pauses: [
          { credential: 'default', reason: 'rate-limit', until: 400_000 },
          { credential: 'other', reason: 'rate-limit', until: 90_000 },
        ],
        heldBack: [
          { ...used, tenant: 'acme', maxConcurrent: 1, running: 1, waiting: 2, reached: 'maxConcurrent' },
          { ...used, tenant: 'globex', maxUsdPerDay: 5, usdToday: 5.25, reached: 'maxUsdPerDay' },
          { ...used, tenant: 'initech', maxUsdPerDay: 5, usdToday: 1, usdReserved: 3.5, reached: 'maxUsdPerDay' },
        ],
        unserved: [{ agent: 'x', waiting: 2, missing: 'agent', reason: 'no worker has the agent x' }],
        setAside: [{ key: 'ann', reason: '23505', attempts: 3, until: 120_000 }],
        costUsdToday: 1.5,
      },
      plain,
      80,
      100_000,
    );
    expect(lines).toEqual([
      '2 running, 3 waiting, the oldest for 61 s, 1 delayed, 4 parked',
      'last hour: 4 completed, 1 dead; today $1.50',
      '2 groups of turns not done: cox fleet groups --open',
      '1 approval waiting: cox fleet approvals',
      'paused: default (rate-limit) for 5 min',
      'paused: other (rate-limit) has ended; one turn runs first, and the others wait for its outcome',
      'held back by the quota of acme: 2 waiting (1 of 1 running)',
      'held back by the quota of globex: 1 waiting ($5.25 of $5.00 spent today)',
      'held back by the quota of initech: 1 waiting ($1.00 of $5.00 spent today and $3.50 reserved)',
      '2 turns waiting: no worker has the agent x',
      'set aside: ann cannot be claimed (23505, attempts: 3); next attempt in 20 s',
      '',
      'WORKER  TURNS  WARM  STATE     LAST SEEN',
      'a:1     2/4    3     ready     1 s ago',
      'b:2     2/4    3     lost      1 s ago',
      'c:3     2/4    3     draining  1 s ago',
    ]);
  });

  it('[L-2] is shown again after an outage of the database', async () => {
    const stats = {
      turns: {},
      workers: [],
      pauses: [],
      heldBack: [],
      unserved: [],
      setAside: [],
      outcomesLastHour: {},
      oldestWaitMs: null,
    };
    const answers = [
      () => ({ ...stats, turns: { running: 1, waiting: 0, delayed: 0 }, costUsdToday: 0 }),
      () => {
        throw new DatabaseUnavailableError('The query failed', 'ENOENT');
      },
      () => ({ ...stats, turns: { running: 2, waiting: 0, delayed: 0 }, costUsdToday: 0 }),
      () => {
        throw new Error('something else');
      },
    ];
    // The fields that the lines contain.
    const fleet = { stats: async () => answers.shift()?.() as unknown as FleetStats };
    const printed: string[] = [];
    const output = { write: (text: string) => printed.push(text) };
    const terminal = { stdin: output, stdout: output, stderr: output, env: {} } as unknown as Terminal;
    await expect(watchStatus(fleet, {}, terminal, 1)).rejects.toThrow('something else');
    const kinds = printed.map((text) => /^\d running|cannot be reached/.exec(text)?.[0]);
    expect(kinds).toEqual(['1 running', 'cannot be reached', '2 running']);
  });
});
