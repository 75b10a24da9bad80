import type { ElicitationAnswer } from '../control/elicitation.ts';
import { isJsonObject } from '../wire/kinds.ts';
import { strayField } from './decision-fields.ts';
import { kindOf, plainObject } from './plain-json.ts';

const ACTIONS = ['accept', 'decline', 'cancel'] as const;

/** A copy of what `onElicitation` returned; `undefined` and `null` decline. @throws TypeError when it is not an answer */
export function elicitationAnswer(given: unknown): ElicitationAnswer {
  if (given === undefined || given === null) return { action: 'decline' };
  if (!isJsonObject(given)) throw new TypeError(`onElicitation returned ${kindOf(given)} instead of an answer.`);
  const problem = strayField(given, ['action', 'content']);
  if (problem !== undefined) throw new TypeError(`onElicitation returned an unusable answer: ${problem}`);
  const action = ACTIONS.find((name) => name === given.action);
  if (action === undefined) {
    throw new TypeError(`onElicitation returned an unusable answer: its action must be one of ${ACTIONS.join(', ')}.`);
  }
  if (action !== 'accept' || given.content === undefined) return { action };
  return { action, content: plainObject(given.content, 'the content of the answer') };
}
