import { describe, expect, it } from 'vitest';
import {
  allow,
  answer,
  ask,
  context,
  defer,
  deny,
  later,
  modify,
  replaceOutput,
  stop,
} from '../../src/hooks/outcome.ts';

describe('an outcome', () => {
  it.each([
    [allow(), { outcome: 'allow' }],
    [allow({ updatedInput: { a: 1 }, reason: 'R' }), { outcome: 'allow', updatedInput: { a: 1 }, reason: 'R' }],
    [deny('R'), { outcome: 'deny', reason: 'R' }],
    [deny('R', { interrupt: true }), { outcome: 'deny', reason: 'R', interrupt: true }],
    [ask(), { outcome: 'ask' }],
    [ask('R'), { outcome: 'ask', reason: 'R' }],
    [modify({ a: 1 }), { outcome: 'modify', input: { a: 1 } }],
    [context('T'), { outcome: 'context', text: 'T' }],
    [replaceOutput([1]), { outcome: 'replace-output', output: [1] }],
    [stop('R'), { outcome: 'stop', reason: 'R' }],
    [defer(), { outcome: 'defer' }],
    [answer({ Q: 'A' }), { outcome: 'answer', answers: { Q: 'A' } }],
    [later(), { outcome: 'later' }],
  ])('[H-4, P-7] is plain JSON that another process can write: %j', (outcome, json) => {
    expect(outcome).toEqual(json);
    expect(JSON.parse(JSON.stringify(outcome))).toEqual(json);
  });
});
