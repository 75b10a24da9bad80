import type { SuccessResult } from 'coxswain/types';

/** The counts of a result about the subagents of its turn, by their type; all of them ran to their end. */
export function subagentStats(byType: ReadonlyMap<string, number>): NonNullable<SuccessResult['subagent_stats']> {
  const spawned = [...byType.values()].reduce((sum, count) => sum + count, 0);
  return {
    spawned,
    requested: { background: 0, foreground: spawned, unset: 0 },
    started_in_background: 0,
    max_depth: spawned > 0 ? 1 : 0,
    spawned_by_subagents: 0,
    completed: spawned,
    failed: 0,
    killed: { parent: 0, user: 0, system: 0 },
    refused: { depth_limit: 0, concurrency_limit: 0, budget: 0 },
    by_type: Object.fromEntries(byType),
  };
}
