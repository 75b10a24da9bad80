import { describe, expect, it } from 'vitest';
import { LONG_FORM } from '../../packages/sdk/test/support/long-form.ts';
import { pinnedVersion, testedVersions } from '../harness/real-cli.ts';
import { type Case, type Decided, describeCall } from './case.ts';
import { allCases } from './corpus/all-cases.ts';
import { decisionsOfReal } from './decisions.ts';
import { readMeasured } from './measured.ts';

/** Each session starts a CLI, and each command a shell. */
const QUICK =
  /^(commands|shell syntax|allowed commands|denied commands|mode .*|denied: Read\(\.env\)|allowed: Edit\(src\/\*\*\)|searches)$/;
const MOST_CALLS = 40;
const cases = LONG_FORM ? allCases : allCases.filter(({ name }) => QUICK.test(name)).map(sample);
const { cases: measured } = readMeasured();

describe.concurrent.each(testedVersions)('permission decisions of %s', (release) => {
  it.each(cases)('[K-7] are still the measured ones: $name', { timeout: 300_000 }, async (each) => {
    const known = measured[each.name];
    const found = await decisionsOfReal(each, release);
    const expected = each.calls.map((call, index): [string, Decided | undefined] => {
      const name = describeCall(call);
      // An older release may fail a call for another reason before it decides.
      if (release !== pinnedVersion && found[index] === undefined) return [name, undefined];
      return [name, known?.differs?.[release]?.[name] ?? known?.decided[name]];
    });
    expect(each.calls.map((call, index) => [describeCall(call), found[index]])).toEqual(expected);
  });
});

/** A sample of the commands: `npm run do -- permissions` measures all of them. */
function sample(each: Case): Case {
  const step = Math.ceil(each.calls.length / MOST_CALLS);
  return { ...each, calls: each.calls.filter((_, index) => index % step === 0) };
}
