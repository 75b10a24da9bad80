import { unknownName } from '@coxswain/shared/unknown-name';
import type { JsonObject } from '../wire/kinds.ts';
import type { Decision, DecisionOf } from './decisions.ts';

type DecisionName = Decision['decision'];

/** The fields of each decision. */
const FIELDS: { readonly [N in DecisionName]: readonly (keyof DecisionOf<N>)[] } = {
  allow: ['decision', 'updatedInput', 'updatedPermissions', 'reason', 'context'],
  deny: ['decision', 'reason', 'interrupt'],
  askUser: ['decision', 'reason'],
  modifyInput: ['decision', 'input'],
  addContext: ['decision', 'text'],
  replaceOutput: ['decision', 'output'],
  stopTurn: ['decision', 'reason'],
  deferTool: ['decision'],
  answerQuestions: ['decision', 'answers'],
  decideLater: ['decision'],
};

/** The problem with a decision that has an unknown field; a misspelt field would be silently ignored. */
export function decisionProblem(name: DecisionName, decision: JsonObject): string | undefined {
  return strayField(decision, FIELDS[name]);
}

/** The problem with an object that has fields other than these. */
export function strayField(object: JsonObject, known: readonly string[]): string | undefined {
  const [symbol] = Object.getOwnPropertySymbols(object);
  if (symbol !== undefined)
    return `its field ${String(symbol).slice(0, 80)} has a symbol for a name, which cannot be sent`;
  const stray = Object.keys(object).find((name) => object[name] !== undefined && !known.includes(name));
  if (stray === undefined) return undefined;
  return `its field ${stray.slice(0, 80)} ${unknownName('field', stray, known).replace(/\.$/, '')}`;
}
