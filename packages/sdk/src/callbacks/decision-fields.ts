import { unknownName } from '@coxswain/shared/unknown-name';
import type { JsonObject } from '../wire/kinds.ts';
import type { Decision, DecisionOf } from './decisions.ts';

type DecisionName = Decision['decision'];

/** The fields of each decision, beside `decision`. */
const FIELDS: { readonly [N in DecisionName]: readonly Exclude<keyof DecisionOf<N>, 'decision'>[] } = {
  allow: ['updatedInput', 'updatedPermissions', 'reason', 'context'],
  deny: ['reason', 'interrupt'],
  askUser: ['reason'],
  modifyInput: ['input'],
  addContext: ['text'],
  replaceOutput: ['output'],
  stopTurn: ['reason'],
  deferTool: [],
  answerQuestions: ['answers'],
  decideLater: [],
};

/** The problem with a decision that has a field too many; a misspelt field would be left out in silence. */
export function decisionProblem(name: DecisionName, decision: JsonObject): string | undefined {
  return strayField(decision, ['decision', ...FIELDS[name]]);
}

/** The problem with an object that has other fields than these. */
export function strayField(object: JsonObject, known: readonly string[]): string | undefined {
  const stray = Object.keys(object).find((name) => object[name] !== undefined && !known.includes(name));
  if (stray === undefined) return undefined;
  return `its field ${stray.slice(0, 80)} ${unknownName('field', stray, known).replace(/\.$/, '')}`;
}
