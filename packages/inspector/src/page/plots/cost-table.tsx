import type { ComponentChild } from 'preact';
import type { CostInfo } from '../../api.ts';
import { addCost, minus, NO_COST } from '../../conversations/cost.ts';
import { ScrollRegion } from '../layout/scroll-region.tsx';
import { costText, count } from '../text/format.ts';
import { visible } from '../text/visible.ts';

/** One line of a table of costs. */
export interface CostLine {
  readonly name: string;
  readonly href?: string;
  readonly cost: CostInfo;
}

/** Costs with their tokens, the most expensive first. What is not listed is one line, so that the lines add up to the total. */
export function CostTable({
  title,
  lines,
  total,
  rest,
  most = MOST,
}: {
  readonly title: string;
  readonly lines: readonly CostLine[];
  readonly total: CostInfo;
  /** The name of what is not listed. */
  readonly rest: string;
  readonly most?: number;
}): ComponentChild {
  const sorted = [...lines].sort((a, b) => b.cost.usd - a.cost.usd || tokensOf(b.cost) - tokensOf(a.cost));
  const shown = sorted.slice(0, most);
  const left = minus(
    total,
    shown.reduce((sum, { cost }) => addCost(sum, cost), NO_COST),
  );
  if (lines.length === 0 && isNothing(total)) return null;
  return (
    <section class="plot-block">
      <h3>{title}</h3>
      <ScrollRegion name="table" label={title}>
        <table class="figures small numbers">
          <thead>
            <tr>
              <th scope="col">{title.replace(/^By (.)/, (_, first: string) => first.toUpperCase())}</th>
              <th scope="col">In</th>
              <th scope="col">Out</th>
              <th scope="col">Cache</th>
              <th scope="col">Cost</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((line, at) => (
              <Line key={at} {...line} />
            ))}
            {isNothing(left) ? null : <Line name={rest} cost={left} />}
          </tbody>
          <tfoot>
            <Line name="Total" cost={total} />
          </tfoot>
        </table>
      </ScrollRegion>
    </section>
  );
}

const MOST = 10;

function Line({ name, href, cost }: CostLine): ComponentChild {
  const { input, output, cacheRead, cacheCreation } = cost.tokens;
  const text = visible(name);
  return (
    <tr>
      <td dir="auto">{href === undefined ? text : <a href={href}>{text}</a>}</td>
      <td>{count(input)}</td>
      <td>{count(output)}</td>
      <td title={`${count(cacheRead)} read, ${count(cacheCreation)} written`}>{count(cacheRead + cacheCreation)}</td>
      <td>{cost.usd === 0 ? '–' : costText(cost)}</td>
    </tr>
  );
}

function tokensOf({ tokens }: CostInfo): number {
  return tokens.input + tokens.output + tokens.cacheRead + tokens.cacheCreation;
}

/** Differences of sums are not exactly zero. */
function isNothing(cost: CostInfo): boolean {
  return Math.abs(cost.usd) < 0.000_001 && Math.abs(tokensOf(cost)) < 0.5;
}
