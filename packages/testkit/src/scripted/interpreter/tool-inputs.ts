import type { JsonObject } from '../../json.ts';
import type { BackgroundStep, SubagentStep } from '../script-data.ts';

/** The input of the tool that starts a subagent. */
export function agentInput({ description, prompt, agentType, background }: SubagentStep): JsonObject {
  return { description, prompt, subagent_type: agentType, run_in_background: background };
}

/** The input of the tool that leaves a command running. */
export function backgroundInput({ command }: BackgroundStep): JsonObject {
  return { command, run_in_background: true };
}
