import type { Span, TurnInfo } from '../../src/api.ts';
import { sampleCost } from './staged-stats.ts';

/** A turn with a span of every kind: an edit took one second and waited twelve for a person. */
export function sampleTurn(now: number): TurnInfo {
  const start = now - 90_000;
  const span = (
    id: string,
    kind: Span['kind'],
    name: string,
    from: number,
    to: number,
    more: Partial<Span> = {},
  ): Span => {
    const times = { startedAt: start + from * 1_000, endedAt: start + to * 1_000 };
    return { id, kind, name, argument: '', parent: null, ...times, outcome: 'ok', entry: 4, cost: null, ...more };
  };
  const opus = 'claude-opus-4-6';
  return {
    id: 't1',
    title: 'One test has been failing since the last change to the stroke rate.',
    firstEntry: 1,
    startedAt: start,
    endedAt: start + 60_000,
    outcome: 'completed',
    reason: null,
    cost: sampleCost(0.0184),
    spansLeftOut: 0,
    spans: [
      span('m1', 'model', opus, 0, 2, { cost: sampleCost(0.004) }),
      span('th1', 'thinking', 'thinking', 0, 1.2, { parent: 'm1' }),
      span('1', 'tool', 'Bash', 2, 14, { argument: 'npm test', outcome: 'failed' }),
      span('m2', 'model', opus, 14, 16, { cost: sampleCost(0.002) }),
      span('2', 'tool', 'Read', 16, 17, { argument: 'src/stroke-rate.ts' }),
      span('3', 'subagent', 'Find all callers of rate()', 18, 36),
      span('m3', 'model', 'claude-haiku-4-5-20251001', 18, 20, { parent: '3', cost: sampleCost(0.001) }),
      span('4', 'tool', 'Grep', 20, 24, { argument: 'import .*stroke-rate', parent: '3' }),
      span('m4', 'model', opus, 36, 38, { cost: sampleCost(0.0114) }),
      span('7', 'tool', 'Edit', 38, 51, { argument: 'src/stroke-rate.ts' }),
      span('5', 'permission', 'Edit', 38, 50, { parent: '7', outcome: 'allow' }),
      span('6', 'hook', 'PreToolUse', 50, 51),
    ],
  };
}
