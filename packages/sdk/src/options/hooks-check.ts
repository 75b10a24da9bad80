import { LONGEST_TIMER_MS } from '@coxswain/shared/longest-timer';
import { suggest } from '@coxswain/shared/unknown-name';
import { isKnownHookEvent, knownHookEvents } from '../callbacks/abilities.ts';
import { matcherProblem } from '../callbacks/matcher.ts';
import { isJsonObject } from '../wire/kinds.ts';
import {
  at,
  type Check,
  either,
  flag,
  list,
  oneOf,
  plainFields,
  record,
  refusing,
  shape,
  whole,
  wrong,
} from './checks.ts';

/** Hooks by event. A guard under a misspelt event would never run, so hooks of an unknown event must set `newerEvent`. */
export const hooksCheck: Check = (value, path, report) => {
  const fields = plainFields(value, path, report);
  if (!fields) return undefined;
  const checked: [string, unknown][] = [];
  for (const [event, given] of fields) {
    if (given === undefined) continue;
    const where = at(path, event);
    if (!isKnownHookEvent(event) && !areOfNewerEvent([given].flat())) {
      const never = `is not a known event, so its hooks would never be called.${guess(event)}`;
      report(where, `${never} For an event of a newer CLI, set newerEvent: true in each of its hooks.`);
      continue;
    }
    const hooks: unknown = hooksOfEvent(given, where, report);
    if (hooks !== undefined) checked.push([event, hooks]);
  }
  return Object.freeze(Object.fromEntries(checked));
};

/**
 * A callback that answers the CLI's requests. One that declares three parameters was written for the official SDK: called
 * with two arguments it would throw or mistake one for the other, and a guard would allow everything.
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

const run = hostCallback('run(input, context)');

const matcher: Check = (value, path, report) => {
  if (value === null) return null;
  if (typeof value !== 'string') return wrong(value, path, report, 'a string or null');
  const problem = matcherProblem(value);
  return problem === undefined ? value : void report(path, problem);
};

const hookObject = shape(
  {
    matcher,
    run,
    timeoutMs: whole(1, LONGEST_TIMER_MS),
    onFailure: oneOf('continue', 'block'),
    newerEvent: flag,
  },
  { needs: ['run'] },
);

function areOfNewerEvent(hooks: readonly unknown[]): boolean {
  return hooks.length > 0 && hooks.every((hook) => isJsonObject(hook) && hook.newerEvent === true);
}

const officialHook =
  'has the form of the official SDK, { matcher, hooks: [function] }; here it is { matcher, run: function }, one object for each function, called as run(input, context).';

const isOfficial = (value: unknown): boolean => isJsonObject(value) && Array.isArray(value.hooks);

const hook = either((value) => typeof value === 'function', run, refusing(isOfficial, officialHook, hookObject));

const hooksOfEvent = either(Array.isArray, list(hook), hook);

const timeout = whole(0, LONGEST_TIMER_MS);

const timeoutsByEvent = record(timeout, {
  key: (event, path, report) => {
    if (isKnownHookEvent(String(event))) return event;
    return void report(
      path,
      `is not a known event.${guess(String(event))} Hooks of a newer event take their own timeoutMs.`,
    );
  },
});

/** `limits.hookTimeoutMs`: one number, or a number per event. */
export const hookTimeoutCheck: Check = (value, path, report) => {
  if (isJsonObject(value)) return timeoutsByEvent(value, path, report);
  if (typeof value === 'number') return timeout(value, path, report);
  return wrong(value, path, report, 'a number, or an object with a number per event');
};

function guess(event: string): string {
  const meant = suggest(event, knownHookEvents);
  return meant === undefined ? '' : ` Did you mean ${meant}?`;
}
