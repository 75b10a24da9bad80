import { type Check, wrong } from './checks.ts';

/**
 * A callback that the CLI's requests are put to. One that declares three parameters was written for the official SDK: called
 * with two arguments it would throw, or take the one for the other, and a guard would let everything pass.
 */
export function hostCallback(call: string): Check {
  return (value, path, report) => {
    if (typeof value !== 'function') return wrong(value, path, report, 'a function');
    if (value.length < 3) return value;
    return void report(
      path,
      `declares ${value.length} parameters, as callbacks of the official SDK do; here it is called as ${call}. ` +
        'See "What to look at first" in docs/migration.md.',
    );
  };
}
