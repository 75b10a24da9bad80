import { SpawnError } from '../errors/start.ts';
import { isThenable } from '../timing/timers.ts';

/** The error for an unusable option `transport` or `spawn`; `what` is the predicate of the sentence. */
export function adapterFailure(option: 'transport' | 'spawn', what: string, cause?: unknown): SpawnError {
  return new SpawnError(`The option ${option} ${what}. Correct it: the CLI was not started.`, {
    reason: 'adapter',
    path: '',
    cause,
  });
}

/** Describes a value that lacks some of these methods; undefined if it has them all. */
export function methodsMissing(value: unknown, ...methods: readonly string[]): string | undefined {
  if (typeof value !== 'object' || value === null) return value === undefined ? 'undefined' : `a ${typeof value}`;
  if (isThenable(value)) {
    Promise.resolve(value).catch(() => {});
    return 'a promise';
  }
  const missing = methods.filter((name) => typeof Reflect.get(value, name) !== 'function');
  return missing.length === 0 ? undefined : `an object that has no ${missing.join('(), ')}()`;
}
