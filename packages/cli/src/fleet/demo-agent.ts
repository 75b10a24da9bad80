import type { FleetAgent } from '@coxswain/fleet';
import { inMemoryCli } from '@coxswain/testkit';
import { decideLater } from 'coxswain';
import { demoAgent, READABLE_MS } from '../demo/agent.ts';

/** The scripted agent of the demo, for workers; people approve its edits. */
export function demoFleetAgent(): FleetAgent {
  const given = Number.parseInt(process.env.COX_DEMO_PACE_MS ?? '', 10);
  const paceMs = Number.isInteger(given) && given >= 0 ? given : READABLE_MS;
  return {
    // Soon, so that people see it.
    parkAfterMs: 3_000,
    options: () => ({
      transport: inMemoryCli(demoAgent({ paceMs })).transport,
      canUseTool: () => decideLater(),
    }),
  };
}
