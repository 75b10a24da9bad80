import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { knownHookEvents } from '../../src/callbacks/abilities.ts';
import {
  addContext,
  allow,
  askUser,
  deferTool,
  deny,
  modifyInput,
  replaceOutput,
  stopTurn,
} from '../../src/callbacks/decisions.ts';
import { encodeHookResult, type HookFacts } from '../../src/callbacks/encode-hook.ts';
import { ignoresDecision } from '../../src/cli/feature-gate.ts';
import { PINNED_VERSION } from '../../src/cli/version.ts';

const event = fc.oneof(fc.constantFrom(...knownHookEvents), fc.string());
const facts = fc
  .constantFrom(undefined, '2.1.97', '2.1.197', PINNED_VERSION)
  .map((version): HookFacts => ({ ignores: (decision) => ignoresDecision(version, decision) }));
const decision = fc.oneof(
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
const tags = [
  ...['allow', 'deny', 'askUser', 'modifyInput', 'addContext', 'replaceOutput', 'stopTurn', 'deferTool'],
  ...['answerQuestions', 'decideLater'],
];
const junk = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withSparseArray: true,
});
const broken = fc
  .record({
    decision: fc.oneof(fc.constantFrom(...tags), fc.string()),
    reason: junk,
    input: junk,
    output: junk,
    text: junk,
  })
  .map((value) => ({ ...value, updatedInput: value.input, updatedPermissions: value.output, context: value.text }));

describe('any hook result of any event', () => {
  it('[H-4, H-5] is encoded as plain JSON or reported as unusable without an exception', () => {
    fc.assert(
      fc.property(event, fc.oneof(decision, broken, junk), facts, (name, result, known) => {
        const encoding = encodeHookResult(name, result, known);
        if (!encoding.ok) return void expect(encoding.problem).not.toBe('');
        expect(JSON.parse(JSON.stringify(encoding.response))).toEqual(encoding.response);
        const { hookSpecificOutput: specific } = encoding.response;
        if (specific !== undefined) expect(specific).toHaveProperty('hookEventName', name);
      }),
      { numRuns: 2_000 },
    );
  });

  it('[H-4] blocks if it is a deny, whatever other fields it has', () => {
    fc.assert(
      fc.property(event, fc.dictionary(fc.string(), junk), facts, (name, extra, known) => {
        const encoding = encodeHookResult(name, { ...extra, decision: 'deny' }, known);
        expect(encoding.ok && isBlock(encoding.response)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});

/** True for each way in which an event encodes a deny. */
function isBlock(response: Readonly<Record<string, unknown>>): boolean {
  const text = JSON.stringify(response);
  return ['"decision":"block"', '"permissionDecision":"deny"', '"behavior":"deny"', '"action":"decline"'].some((form) =>
    text.includes(form),
  );
}
