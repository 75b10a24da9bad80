import { describe, expect, it } from 'vitest';
import { stageAt, stagesOf, storedStages } from '../../src/approval/terms.ts';

const hour = 3_600_000;

describe('the terms of an approval', () => {
  it('[F-32] become stages, each with its groups and its end, counted from the request', () => {
    const later = { groups: ['leads'], expiresAfterMs: 2 * hour, onExpiry: { deny: 'Nobody came.' } };
    expect(stagesOf({ groups: ['release'], expiresAfterMs: hour, onExpiry: { escalate: later } })).toEqual({
      stages: [
        { groups: ['release'], untilMs: hour },
        { groups: ['leads'], untilMs: 3 * hour },
      ],
      denyReason: 'Nobody came.',
    });
    for (const none of [undefined, {}])
      expect(stagesOf(none)).toMatchObject({ stages: [{ groups: null, untilMs: null }] });
    expect(stagesOf({ expiresAfterMs: 1 })).toMatchObject({ stages: [{ groups: null, untilMs: 1 }] });
    const last = stagesOf({ expiresAfterMs: 1, onExpiry: { escalate: { groups: ['leads'] } } });
    expect(last).toMatchObject({ stages: [{ untilMs: 1 }, { groups: ['leads'], untilMs: null }] });
  });

  it('[F-32] the age of a request decides which stage applies; the end of a stage belongs to the next one', () => {
    const stages = [
      { groups: ['release'], untilMs: 10 },
      { groups: ['leads'], untilMs: 30 },
    ];
    const at = (ms: number): number | undefined => stageAt(stages, ms)?.n;
    expect([0, 9, 10, 29, 30, 1e12].map(at)).toEqual([0, 0, 1, 1, undefined, undefined]);
    expect(stageAt(storedStages(null), 1e15)).toEqual({ groups: null, untilMs: null, n: 0 });
  });

  const deep = (levels: number): object =>
    levels === 0 ? { groups: ['a'] } : { groups: ['a'], expiresAfterMs: 1, onExpiry: { escalate: deep(levels - 1) } };

  it.each<[string, unknown]>([
    ['result', 'release'],
    ['result', 5],
    ['group;', { group: ['a'] }],
    ['groups', { groups: [] }],
    ['groups', { groups: 'release' }],
    ['groups', { groups: [''] }],
    ['groups', { groups: [5] }],
    ['expiresAfterMs', { expiresAfterMs: 0 }],
    ['expiresAfterMs', { expiresAfterMs: '1 h' }],
    ['expiresAfterMs', { expiresAfterMs: Number.POSITIVE_INFINITY }],
    ['expiresAfterMs', { expiresAfterMs: Number.NaN }],
    ['without expiresAfterMs', { onExpiry: { deny: 'x' } }],
    ['onExpiry', { expiresAfterMs: 1, onExpiry: 'deny' }],
    ['onExpiry', { expiresAfterMs: 1, onExpiry: {} }],
    ['onExpiry', { expiresAfterMs: 1, onExpiry: { allow: true } }],
    ['onExpiry', { expiresAfterMs: 1, onExpiry: { deny: 'x', escalate: { groups: ['a'] } } }],
    ['onExpiry.deny', { expiresAfterMs: 1, onExpiry: { deny: 7 } }],
    ['onExpiry.escalate.groups', { expiresAfterMs: 1, onExpiry: { escalate: {} } }],
    ['onExpiry.escalate.who', { expiresAfterMs: 1, onExpiry: { escalate: { groups: ['a'], who: 'b' } } }],
    ['onExpiry.escalate', { expiresAfterMs: 1, onExpiry: { escalate: null } }],
    ['stages', deep(10)],
  ])('[F-16, F-32] wrong terms are refused: %s (%#)', (problem, given) => {
    expect(stagesOf(given)).toContain(problem);
  });

  it('[F-32] ten stages are possible', () => {
    expect(stagesOf(deep(9))).toMatchObject({ stages: { length: 10 } });
  });
});
