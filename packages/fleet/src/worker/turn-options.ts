import type { TurnOptions } from 'coxswain';
import type { AgentJob, FleetAgent } from '../agent/define-agent.ts';

/** The queue expires a job after 24 hours, so a turn must end earlier. */
const LONGEST_TURN_MS = 20 * 3_600_000;

/** The options with which an agent runs a turn. */
export function turnOptions(agent: Pick<FleetAgent, 'turn'>, job: AgentJob): TurnOptions {
  const options = agent.turn?.(job);
  return { ...options, timeoutMs: Math.min(options?.timeoutMs ?? LONGEST_TURN_MS, LONGEST_TURN_MS) };
}
