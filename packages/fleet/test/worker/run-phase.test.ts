import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EndReasons } from '../../src/worker/ending.ts';
import { type AgentPhase, isAbandoned, isReleased } from '../../src/worker/run-phase.ts';

const phase = fc.constantFrom<AgentPhase>('preparing', 'sent', 'finished');
const reasons: fc.Arbitrary<EndReasons> = fc.record(
  {
    cancelledBy: fc.constant('ann'),
    draining: fc.constant(true as const),
    overQuota: fc.constant(true as const),
    lost: fc.constantFrom('taken' as const, 'database' as const, 'worker' as const),
    fault: fc.constant({ error: new Error('fault') }),
  },
  { requiredKeys: [] },
);

describe('the end of a run', () => {
  it('[F-19] a finished turn is committed unless another worker has its conversation', () => {
    fc.assert(
      fc.property(reasons, (why) => {
        expect(isAbandoned('finished', why)).toBe(why.lost === 'taken');
        expect(isReleased('finished', why)).toBe(false);
      }),
    );
  });

  it('[F-4, F-19] a turn is only released if its prompt was not sent and neither a cancel nor a fault decides its outcome', () => {
    fc.assert(
      fc.property(phase, reasons, (reached, why) => {
        if (!isReleased(reached, why)) return;
        expect(reached).toBe('preparing');
        expect(why.cancelledBy).toBeUndefined();
        expect(why.fault).toBeUndefined();
        expect(why.draining || why.overQuota || why.lost === 'database').toBe(true);
      }),
    );
  });

  it('[F-10, F-11, F-19] a turn whose prompt was not sent is released by a drain, a quota and an outage', () => {
    for (const why of [{ draining: true }, { overQuota: true }, { lost: 'database' }] as const)
      expect([isReleased('preparing', why), isReleased('sent', why)]).toEqual([true, false]);
    expect(isReleased('preparing', {})).toBe(false);
    expect(isReleased('preparing', { draining: true, cancelledBy: 'ann' })).toBe(false);
    expect(isReleased('preparing', { lost: 'database', fault: { error: new Error('fault') } })).toBe(false);
  });

  it('[F-5, F-27] another worker decides about a taken turn, and about an unfinished one of a suspended or crashing process', () => {
    expect(isAbandoned('sent', { lost: 'taken' })).toBe(true);
    expect(isAbandoned('sent', { lost: 'worker' })).toBe(true);
    expect(isAbandoned('finished', { lost: 'worker' })).toBe(false);
    expect(isAbandoned('sent', { lost: 'database' })).toBe(false);
    expect(isAbandoned('preparing', { draining: true, cancelledBy: 'ann' })).toBe(false);
  });
});
