import { isObject } from '@coxswain/shared/is-object';
import { FleetInputError } from '../errors.ts';
import { checkedName, checkedWait } from '../fleet/input.ts';
import { problemOfRetry } from '../turn/retry-policy.ts';
import { problemOfAgentName } from './agent-name.ts';
import type { FleetAgent } from './define-agent.ts';

/**
 * Checks an agent before a worker runs it: with a misspelt `approvals`, everybody could answer its requests.
 * @throws FleetInputError
 */
export function checkAgent(agent: unknown, at = 'agent'): void {
  if (!isObject(agent) || typeof agent.options !== 'function')
    throw new FleetInputError(at, 'must be what defineAgent() returns.');
  const unknown = Object.keys(agent).find((name) => !Object.hasOwn(FIELDS, name));
  if (unknown !== undefined)
    throw new FleetInputError(
      `${at}.${unknown}`,
      `is not a field of an agent; use one of ${Object.keys(FIELDS).join(', ')}.`,
    );
  for (const [name, check] of Object.entries(FIELDS)) {
    const value = agent[name];
    if (value !== undefined) check(`${at}.${name}`, value);
  }
}

/** The most agents of one worker. */
const MAX_AGENTS = 100;

/** Checks agents by name. @throws FleetInputError */
export function checkAgents(agents: unknown): void {
  if (!isObject(agents)) throw new FleetInputError('agents', 'must be an object with agents by name.');
  const names = Object.keys(agents);
  if (names.length === 0 || names.length > MAX_AGENTS)
    throw new FleetInputError('agents', `must have from 1 to ${MAX_AGENTS} agents.`);
  for (const name of names) {
    const problem = problemOfAgentName(name);
    if (problem !== undefined) throw new FleetInputError(`agents.${name}`, problem);
    checkAgent(agents[name], `agents.${name}`);
  }
}

type Check = (field: string, value: unknown) => void;

const isFunction: Check = (field, value) => {
  if (typeof value !== 'function') throw new FleetInputError(field, 'must be a function.');
};

const FIELDS: Readonly<Record<keyof FleetAgent, Check>> = {
  version: checkedName,
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
    if (value.place !== undefined) isFunction(`${field}.place`, value.place);
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
