import { type AgentJob, defineAgent, type FleetAgent } from '@coxswain/fleet';
import { inMemoryCli, script, type TurnScript } from '@coxswain/testkit';
import { decideLater } from 'coxswain';

/** Short times for fast tests. */
export const quick = { pollMs: 200, leaseMs: 20_000, sweepMs: 300, flushMs: 10 } as const;

/** For a worker that dies: others take over soon, but a busy machine does not end its lease early. */
export const dying = { ...quick, leaseMs: 4_000 } as const;

/**
 * For a worker that takes over: after a stall of the database it waits for half of its lease, and a busy machine must not end its own
 * turns.
 */
export const takingOver = { ...quick, leaseMs: 8_000 } as const;

/** An agent inside this process with scripted turns; every permission request becomes an approval. */
export function scriptedAgent(
  build: (turn: TurnScript, job: AgentJob) => TurnScript = (turn, job) => turn.say(`did ${String(job.prompt)}`),
  more: Partial<FleetAgent> = {},
): FleetAgent {
  return defineAgent({
    ...more,
    options: (job) => ({
      transport: inMemoryCli(script().otherwise((turn) => build(turn, job))).transport,
      canUseTool: () => decideLater(),
    }),
  });
}
