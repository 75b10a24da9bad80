import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outcomesLackedBy } from '../../src/cli/feature-gate.ts';
import { encodeHookOutcome } from '../../src/hooks/encode.ts';
import { knownHookEvents } from '../../src/hooks/fields.ts';
import {
  addContext,
  allow,
  askUser,
  deferTool,
  deny,
  modifyInput,
  replaceOutput,
  stopTurn,
} from '../../src/hooks/outcome.ts';

const event = fc.oneof(fc.constantFrom(...knownHookEvents), fc.string());
const facts = fc
  .constantFrom(undefined, '1.0.86', '2.1.30', '2.1.197', '2.1.325')
  .map((version) => ({ lacks: outcomesLackedBy(version) }));
const outcome = fc.oneof(
  fc.string().map((reason) => deny(reason)),
  fc
    .record({ reason: fc.string(), context: fc.string(), updatedInput: fc.dictionary(fc.string(), fc.jsonValue()) })
    .map(allow),
  fc.string().map((reason) => askUser(reason)),
  fc.dictionary(fc.string(), fc.jsonValue()).map(modifyInput),
  fc.string().map(addContext),
  fc.jsonValue().map(replaceOutput),
  fc.string().map(stopTurn),
  fc.constant(deferTool()),
);
const tags = ['allow', 'deny', 'ask', 'modify', 'context', 'replace-output', 'stop', 'defer', 'answer', 'later'];
const junk = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withSparseArray: true,
});
const broken = fc
  .record({
    outcome: fc.oneof(fc.constantFrom(...tags), fc.string()),
    reason: junk,
    input: junk,
    output: junk,
    text: junk,
  })
  .map((value) => ({ ...value, updatedInput: value.input, updatedPermissions: value.output, context: value.text }));

describe('any result of any event', () => {
  it('[H-4, H-5] is encoded without a throw, into plain JSON, or called unusable', () => {
    fc.assert(
      fc.property(event, fc.oneof(outcome, broken, junk), facts, (name, result, known) => {
        const encoding = encodeHookOutcome(name, result, known);
        if (!encoding.ok) return void expect(encoding.problem).not.toBe('');
        expect(JSON.parse(JSON.stringify(encoding.response))).toEqual(encoding.response);
        const { hookSpecificOutput: specific } = encoding.response;
        if (specific !== undefined) expect(specific).toHaveProperty('hookEventName', name);
      }),
      { numRuns: 2_000 },
    );
  });

  it('[H-4] that is a deny blocks, whatever stands beside it', () => {
    fc.assert(
      fc.property(event, fc.dictionary(fc.string(), junk), facts, (name, extra, known) => {
        const encoding = encodeHookOutcome(name, { ...extra, decision: 'deny' }, known);
        expect(encoding.ok && isBlock(encoding.response)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('any outcome that a release ignores', () => {
  it('[H-4] never lets the tool run as if nothing had been said', () => {
    const changing = fc.oneof(
      fc.string().map((reason) => askUser(reason)),
      fc.dictionary(fc.string(), fc.jsonValue()).map(modifyInput),
      fc.dictionary(fc.string(), fc.jsonValue()).map((updatedInput) => allow({ updatedInput })),
      fc.constant(deferTool()),
    );
    const version = fc.constantFrom(undefined, '1.0.86', '2.0.0');
    fc.assert(
      fc.property(changing, version, (result, found) => {
        const encoding = encodeHookOutcome('PreToolUse', result, { lacks: outcomesLackedBy(found) });
        expect(encoding.ok && isBlock(encoding.response)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

/** One of the forms in which an event is told "no". */
function isBlock(response: Readonly<Record<string, unknown>>): boolean {
  const text = JSON.stringify(response);
  return ['"decision":"block"', '"permissionDecision":"deny"', '"behavior":"deny"', '"action":"decline"'].some((form) =>
    text.includes(form),
  );
}
