import type { Trace } from '../trace/trace.ts';
import type { RecordedResult, Scenario } from './scenario.ts';

/**
 * Replaces the recorded decisions of a scenario with those of a trace, to accept an intended change. Calls that the trace
 * did not reach keep theirs.
 */
export function acceptDecisions(scenario: Scenario, { calls }: Trace): Scenario {
  const results: Record<string, RecordedResult> = { ...scenario.results };
  for (const { id, outcome, how, reason } of calls) {
    const recorded = results[id];
    if (outcome === 'unreached' || recorded?.outcome === outcome) continue;
    const text = outcome === 'ran' ? '' : (reason ?? '');
    results[id] = { outcome, ...(how === undefined ? {} : { how }), text, isError: outcome !== 'ran' };
  }
  return { ...scenario, results };
}
