import { runWalk, type WalkReport } from './run-walk.ts';
import type { Step, Walk } from './steps.ts';

/**
 * Removes steps from a failing walk as long as it still breaks one of the same rules, and returns the smallest such walk.
 * The CLI is not deterministic, so each attempt is repeated a few times, and the search ends when the time is up.
 */
export async function shrink(
  failed: WalkReport,
  options: { readonly forMs: number; readonly tries: number },
): Promise<WalkReport> {
  const deadline = performance.now() + options.forMs;
  const rules = new Set(failed.violations.map(({ rule }) => rule));
  const failing = async (walk: Walk): Promise<WalkReport | undefined> => {
    for (let left = options.tries; left > 0 && performance.now() < deadline; left--) {
      const report = await runWalk(walk);
      if (report.violations.some(({ rule }) => rules.has(rule))) return report;
    }
    return undefined;
  };
  let smallest = failed;
  for (let size = Math.ceil(failed.walk.steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < smallest.walk.steps.length; ) {
      if (performance.now() >= deadline) return smallest;
      const smaller = await failing({ ...smallest.walk, steps: without(smallest.walk.steps, at, size) });
      if (smaller) smallest = smaller;
      else at += size;
    }
  }
  return smallest;
}

function without(steps: readonly Step[], at: number, size: number): Step[] {
  return [...steps.slice(0, at), ...steps.slice(at + size)];
}
