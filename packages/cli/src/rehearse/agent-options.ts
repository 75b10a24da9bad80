import { isObject } from '@coxswain/shared/is-object';
import type { AgentOptions } from 'coxswain';
import { defaultExportOf } from '../agent-module.ts';
import { UsageError } from '../exit-codes.ts';

/** The options of an agent module: its default export is options, or an agent of a fleet. @throws UsageError */
export async function agentOptions(file: string): Promise<AgentOptions> {
  const agent = await defaultExportOf(file);
  if (!isObject(agent))
    throw new UsageError(`The default export of ${file} must be options, or what defineAgent() returns.`);
  const options: unknown = typeof agent.options === 'function' ? await agent.options(JOB) : agent;
  if (!isObject(options)) throw new UsageError(`The agent of ${file} returned no options.`);
  // The SDK checks the options when the session opens.
  return options as AgentOptions;
}

/** The job for which the agent of a fleet is asked for its options. */
const JOB = {
  id: 'rehearsal',
  key: 'rehearsal',
  tenant: 'rehearsal',
  prompt: '',
  data: {},
  attempt: 1,
  epoch: 1,
  previousEpoch: 0,
};
