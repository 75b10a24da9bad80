import { isObject } from '@coxswain/shared/is-object';
import { FleetInputError } from '../errors.ts';
import { checkedWait } from '../fleet/input.ts';
import { problemOfRetry } from '../turn/retry-policy.ts';
import type { FleetAgent } from './define-agent.ts';

/**
 * Checks an agent before a worker runs it: with a misspelt `approvals`, everybody could answer its requests.
 * @throws FleetInputError
 */
export function checkAgent(agent: unknown): void {
  if (!isObject(agent) || typeof agent.options !== 'function')
    throw new FleetInputError('agent', 'must be what defineAgent() returns.');
  const unknown = Object.keys(agent).find((name) => !Object.hasOwn(FIELDS, name));
  if (unknown !== undefined)
    throw new FleetInputError(
      `agent.${unknown}`,
      `is not a field of an agent; use one of ${Object.keys(FIELDS).join(', ')}.`,
    );
  for (const [name, check] of Object.entries(FIELDS)) {
    const value = agent[name];
    if (value !== undefined) check(`agent.${name}`, value);
  }
}

type Check = (field: string, value: unknown) => void;

const isFunction: Check = (field, value) => {
  if (typeof value !== 'function') throw new FleetInputError(field, 'must be a function.');
};

const FIELDS: Readonly<Record<keyof FleetAgent, Check>> = {
  options: isFunction,
  turn: isFunction,
  approvals: isFunction,
  parkAfterMs: checkedWait,
  data(field, value) {
    // Some libraries have schemas that are functions.
    const hasFields = isObject(value) || typeof value === 'function';
    if (!hasFields || !('~standard' in value))
      throw new FleetInputError(field, 'must be a schema, such as z.object({ … }).');
  },
  workspace(field, value) {
    if (!isObject(value)) throw new FleetInputError(field, 'must be an object with the function prepare.');
    isFunction(`${field}.prepare`, value.prepare);
    if (value.save !== undefined) isFunction(`${field}.save`, value.save);
  },
  replay(field, value) {
    if (value !== 'never' && value !== 'unanswered' && typeof value !== 'function')
      throw new FleetInputError(field, "must be 'never', 'unanswered' or a function.");
  },
  retry(field, value) {
    const found = problemOfRetry(value);
    if (found !== undefined) throw new FleetInputError(`${field}${found.field}`, found.problem);
  },
};
