import type { CostInfo, Span } from '../api.ts';
import { weightOf } from '../stats/prices.ts';
import { NO_COST, scaled } from './cost.ts';

/** The spans with what their models really cost: each call in proportion to its cost at list prices. */
export function priced(spans: readonly Span[], byModel: Readonly<Record<string, CostInfo>>): Span[] {
  const weight = ({ name, cost }: Span): number => weightOf(name, (cost ?? NO_COST).tokens);
  return spans.map((span) => {
    const spent = span.kind === 'model' && Object.hasOwn(byModel, span.name) ? byModel[span.name] : undefined;
    if (spent === undefined || span.cost === null) return span;
    const all = spans
      .filter(({ kind, name }) => kind === 'model' && name === span.name)
      .reduce((sum, one) => sum + weight(one), 0);
    const { usd, estimated } = all === 0 ? NO_COST : scaled(spent, weight(span) / all);
    return { ...span, cost: { ...span.cost, usd, estimated, complete: spent.complete } };
  });
}
