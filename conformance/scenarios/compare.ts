import { type Difference, differences } from './differences.ts';
import type { Trace } from './run-scenario.ts';

/** Two runs of one scenario. */
export interface Pair {
  readonly scenario: string;
  readonly release: string;
  readonly scripted: Trace;
  readonly real: Trace;
}

/** Both traces without the known and listed differences. */
export function withoutKnown(pair: Pair, known: readonly Difference[] = differences): Pick<Pair, 'scripted' | 'real'> {
  const here = known.filter((difference) => applies(difference, pair));
  const without = (trace: Trace, side: 'scripted' | 'real'): Trace =>
    here.reduce((left, difference) => drop(left, difference, side), trace);
  return { scripted: without(pair.scripted, 'scripted'), real: without(pair.real, 'real') };
}

/** The listed differences that occur in none of these runs: they no longer exist. */
export function outdated(pairs: readonly Pair[]): readonly Difference[] {
  return differences.filter((difference) => {
    const others = differences.filter((other) => other !== difference);
    const here = pairs.filter((pair) => applies(difference, pair));
    // The differences of a release that cannot be run are unknown.
    if (here.length === 0 || difference.sometimes === true) return false;
    const needed = (pair: Pair): boolean => !same(withoutKnown(pair, others)) && same(withoutKnown(pair));
    return difference.scenarios === 'all' ? !here.some(needed) : !here.every(needed);
  });
}

function applies({ releases, scenarios }: Difference, { release, scenario }: Pair): boolean {
  return releases.includes(release) && (scenarios === 'all' || scenarios.includes(scenario));
}

function drop(trace: Trace, { kind, how }: Difference, side: 'scripted' | 'real'): Trace {
  const fits = (each: string | undefined): boolean =>
    kind.endsWith('*') ? each?.startsWith(kind.slice(0, -1)) === true : each === kind;
  if (how === 'repeats') return trace.filter((each, index) => !fits(each) || each !== trace[index - 1]);
  const dropped = how === 'anywhere' || how === `only-${side}`;
  return dropped ? trace.filter((each) => !fits(each)) : trace;
}

function same({ scripted, real }: Pick<Pair, 'scripted' | 'real'>): boolean {
  return scripted.join('\n') === real.join('\n');
}
