import { describe, expect, it } from 'vitest';
import {
  addContext,
  allow,
  answerQuestions,
  askUser,
  decideLater,
  deferTool,
  deny,
  modifyInput,
  replaceOutput,
  stopTurn,
} from '../../src/callbacks/decisions.ts';

describe('a decision', () => {
  it.each([
    [allow(), { decision: 'allow' }],
    [allow({ updatedInput: { a: 1 }, reason: 'R' }), { decision: 'allow', updatedInput: { a: 1 }, reason: 'R' }],
    [deny('R'), { decision: 'deny', reason: 'R' }],
    [
      deny('R', JSON.parse('{ "decision": "allow", "interrupt": true }')),
      { decision: 'deny', reason: 'R', interrupt: true },
    ],
    [deny('R', { interrupt: true }), { decision: 'deny', reason: 'R', interrupt: true }],
    [askUser(), { decision: 'askUser' }],
    [askUser('R'), { decision: 'askUser', reason: 'R' }],
    [modifyInput({ a: 1 }), { decision: 'modifyInput', input: { a: 1 } }],
    [addContext('T'), { decision: 'addContext', text: 'T' }],
    [replaceOutput([1]), { decision: 'replaceOutput', output: [1] }],
    [stopTurn('R'), { decision: 'stopTurn', reason: 'R' }],
    [deferTool(), { decision: 'deferTool' }],
    [answerQuestions({ Q: 'A' }), { decision: 'answerQuestions', answers: { Q: 'A' } }],
    [decideLater(), { decision: 'decideLater' }],
  ])('[H-4, P-7] is plain JSON that another process can create: %j', (decision, json) => {
    expect(decision).toEqual(json);
    expect(JSON.parse(JSON.stringify(decision))).toEqual(json);
  });
});
