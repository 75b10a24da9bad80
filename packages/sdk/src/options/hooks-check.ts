import { isKnownHookEvent, knownHookEvents } from '../hooks/fields.ts';
import { matcherProblem } from '../hooks/matcher.ts';
import { NewerEventHooks } from '../hooks/newer-events.ts';
import { LONGEST_TIMER_MS } from '../limits.ts';
import { isJsonObject } from '../wire/kinds.ts';
import { at, type Check, list, oneOf, shape, whole, wrong } from './checks.ts';
import { suggest } from './names.ts';

/** Hooks by event. A guard under a misspelt event would guard nothing, so an unknown one must come from `newerEvents()`. */
export const hooksCheck: Check = (value, path, report) => {
  if (!isJsonObject(value)) return wrong(value, path, report, 'an object');
  const checked: [string, unknown][] = [];
  for (const [event, given] of Object.entries(value)) {
    if (given === undefined) continue;
    const where = at(path, event);
    const known = isKnownHookEvent(event);
    const newer = given instanceof NewerEventHooks;
    if (!known && !newer) {
      report(where, unknownEvent(event));
      continue;
    }
    const hooks: unknown = hooksOfEvent(newer ? given.list : given, where, report);
    // `hooksOfEvent` has just checked that they are hooks.
    if (hooks !== undefined)
      checked.push([event, known ? hooks : new NewerEventHooks(hooks as NewerEventHooks['list'])]);
  }
  return Object.fromEntries(checked);
};

/**
 * A callback that answers requests of the CLI. One that declares three parameters was written for the official SDK: called
 * with two arguments it would throw, or mistake one for the other, and a guard would let everything pass.
 */
export function hostCallback(call: string): Check {
  return (value, path, report) => {
    if (typeof value !== 'function') return wrong(value, path, report, 'a function');
    if (value.length < 3) return value;
    return void report(
      path,
      `declares ${value.length} parameters, like callbacks of the official SDK; here it is called as ${call}. ` +
        'See "What to look at first" in docs/migration.md.',
    );
  };
}

const hooksOfEvent: Check = (value, path, report) => (Array.isArray(value) ? list(hook) : hook)(value, path, report);

const run = hostCallback('run(input, context)');

const hook: Check = (value, path, report) =>
  typeof value === 'function' ? run(value, path, report) : hookObject(value, path, report);

const matcher: Check = (value, path, report) => {
  if (value === null) return null;
  if (typeof value !== 'string') return wrong(value, path, report, 'a string or null');
  const problem = matcherProblem(value);
  return problem === undefined ? value : void report(path, problem);
};

const hookObject = shape(
  { matcher, run, timeoutMs: whole(1, LONGEST_TIMER_MS), onFailure: oneOf('continue', 'block') },
  { needs: ['run'] },
);

function unknownEvent(event: string): string {
  const meant = suggest(event, knownHookEvents);
  const guess = meant === undefined ? '' : ` Did you mean ${meant}?`;
  return `is not a known event, so its hooks would never be called.${guess} Register an event of a newer CLI with ...newerEvents({ … }).`;
}
