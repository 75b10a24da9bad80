import type { CostInfo, Span } from '../../api.ts';
import { addCost } from '../../conversations/cost.ts';

/** A period of time. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** A span in its place, with what is below it. */
export interface PlacedSpan extends Period {
  readonly span: Span;
  readonly depth: number;
  /** The time in which it, or something below it, waited for a person. */
  readonly waitedMs: number;
  /** Its own cost and that of everything below it. */
  readonly cost: CostInfo | null;
}

/** The spans in display order: each below the one it belongs to, in the order of their starts. `now` ends those that go on. */
export function placed(spans: readonly Span[], now: number): readonly PlacedSpan[] {
  const known = new Set(spans.map(({ id }) => id));
  const below = new Map<string | null, Span[]>();
  for (const span of spans) {
    const parent = span.parent !== null && known.has(span.parent) ? span.parent : null;
    below.set(parent, [...(below.get(parent) ?? []), span]);
  }
  const branch = (parent: string | null, depth: number): PlacedSpan[] => {
    const children = [...(below.get(parent) ?? [])].sort((a, b) => a.startedAt - b.startedAt);
    // A span cannot belong to itself, and data of the CLI decides how deep they nest.
    if (depth > 8) return [];
    return children.flatMap((span) => {
      const inner = branch(span.id, depth + 1);
      const period = { from: span.startedAt, to: Math.max(span.startedAt, span.endedAt ?? now) };
      const waits = span.kind === 'permission' ? [period] : inner.filter(({ span: { kind } }) => kind === 'permission');
      const costs = [span.cost, ...inner.map(({ span: { cost } }) => cost)].filter((cost) => cost !== null);
      const cost = costs.length === 0 ? null : costs.reduce(addCost);
      return [{ ...period, span, depth, waitedMs: lengthOf(waits), cost }, ...inner];
    });
  };
  return branch(null, 0);
}

/** Where the time of a turn went. Spans of one kind that overlap count once; waiting for a person is not work. */
export function timeSpent(
  spans: readonly PlacedSpan[],
): Readonly<Record<'model' | 'tools' | 'hooks' | 'waiting', number>> {
  const periods = (...kinds: readonly Span['kind'][]): PlacedSpan[] =>
    spans.filter(({ span }) => kinds.includes(span.kind));
  const waiting = periods('permission');
  return {
    model: lengthOf(periods('model')),
    tools: lengthWithout(periods('tool'), waiting),
    hooks: lengthOf(periods('hook')),
    waiting: lengthOf(waiting),
  };
}

/** The length of periods, of which some may overlap. */
function lengthOf(periods: readonly Period[]): number {
  let end = Number.NEGATIVE_INFINITY;
  let length = 0;
  for (const { from, to } of [...periods].sort((a, b) => a.from - b.from)) {
    length += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  return length;
}

function lengthWithout(periods: readonly Period[], others: readonly Period[]): number {
  return lengthOf([...periods, ...others]) - lengthOf(others);
}
