import type { Change } from '../diff/difference.ts';
import type { FailedRehearsal, Rehearsal } from '../rehearse.ts';

/** Many rehearsals in figures. Plain JSON. */
export interface Summary {
  readonly conversations: number;
  readonly failed: number;
  readonly calls: number;
  /** The number of differences by what changed. */
  readonly changes: Readonly<Partial<Record<Change, number>>>;
  readonly gaps: number;
  /** One sentence: "3 of 214 calls would now be refused." */
  readonly sentence: string;
}

/** Counts the results of rehearsals. */
export function summarize(results: readonly (Rehearsal | FailedRehearsal)[]): Summary {
  const done = results.filter((result): result is Rehearsal => 'after' in result);
  const calls = done.reduce((sum, { before }) => sum + before.calls.length, 0);
  const changes: Partial<Record<Change, number>> = {};
  for (const { change } of done.flatMap(({ differences }) => differences)) changes[change] = (changes[change] ?? 0) + 1;
  return {
    conversations: results.length,
    failed: results.length - done.length,
    calls,
    changes,
    gaps: done.reduce((sum, { gaps }) => sum + gaps.length, 0),
    sentence:
      done.length === 0 && results.length > 0
        ? 'Nothing could be rehearsed.'
        : sentenceOf(changes, calls, results.length - done.length),
  };
}

function sentenceOf(changes: Summary['changes'], calls: number, failed: number): string {
  const ofCalls = CALLS.flatMap(([change, words]) => (changes[change] ? [`${changes[change]} ${words}`] : []));
  const [first, ...others] = ofCalls;
  const rest = Object.entries(changes).reduce((sum, [change, count]) => (isOfCall(change) ? sum : sum + count), 0);
  const parts = [
    first === undefined ? undefined : [first.replace(/^(\d+)/, `$1 of ${calls} calls`), ...others].join(', '),
    rest === 0 ? undefined : `${rest} other ${rest === 1 ? 'difference' : 'differences'}`,
  ].filter((part) => part !== undefined);
  const outcome = parts.length === 0 ? `No difference in ${calls} calls` : parts.join('; ');
  return `${outcome}${failed === 0 ? '' : `; ${failed} could not be rehearsed`}.`;
}

const CALLS: readonly (readonly [Change, string])[] = [
  ['now-refused', 'would now be refused'],
  ['now-runs', 'would now run'],
  ['now-asked', 'would now be asked about'],
  ['no-longer-asked', 'would no longer be asked about'],
  ['decided-otherwise', 'would be decided by something else'],
  ['now-invalid', 'would now have an invalid input'],
  ['now-missing', 'would now call a tool that does not exist'],
  ['not-reached', 'would not be reached'],
  ['now-fails', 'would now fail'],
  ['now-succeeds', 'would now succeed'],
];

function isOfCall(change: string): boolean {
  return CALLS.some(([name]) => name === change);
}
