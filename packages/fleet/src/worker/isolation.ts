import { isObject } from '@coxswain/shared/is-object';
import { type AgentOptions, isCoxswainError } from 'coxswain';
import { checkIsolation } from 'coxswain/cli';
import { FleetInputError } from '../errors.ts';

/** How the CLI of a conversation is isolated. */
export type Isolate = NonNullable<AgentOptions['isolate']>;

/** Checks that a worker with this option can isolate its agents. @throws FleetInputError, IsolationUnavailableError */
export async function requireIsolation(isolate: Isolate): Promise<void> {
  try {
    await checkIsolation(isolate);
  } catch (error) {
    if (!isCoxswainError(error, 'options')) throw error;
    const [problem = { path: 'isolate', message: error.message }] = error.problems;
    throw new FleetInputError(problem.path, problem.message);
  }
}

/**
 * The isolation of a turn: what the worker requires, with the files that its agent and its workspace add. The agent can neither turn it
 * off nor change its network.
 */
export function isolationOf(
  required: Isolate | undefined,
  own: Isolate | undefined,
  readable: readonly string[] = [],
): { readonly isolate?: Isolate } {
  if (required === undefined && own === undefined) return {};
  // The SDK refuses anything else.
  if (own !== undefined && own !== 'bubblewrap' && !isObject(own)) return { isolate: own };
  const given: readonly (Isolate | undefined)[] = [required, own];
  const [worker, agent] = given.map((isolate) => (typeof isolate === 'object' ? isolate : {}));
  const program = worker?.program ?? agent?.program;
  const network = worker?.network ?? agent?.network;
  return {
    isolate: {
      ...agent,
      ...(program !== undefined && { program }),
      ...(network !== undefined && { network }),
      readable: [...listed(worker?.readable), ...listed(agent?.readable), ...readable],
      writable: [...listed(worker?.writable), ...listed(agent?.writable)],
    },
  };
}

/** A value that is not a list becomes a list, which the SDK refuses. */
function listed(paths: readonly string[] | undefined): readonly string[] {
  return paths === undefined ? [] : [paths].flat();
}
