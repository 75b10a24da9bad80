import { flagFeatures } from './flags.ts';
import type { Feature, Probe } from './probe.ts';
import { controlProbes } from './probes/control.ts';
import { hookEventProbes } from './probes/hook-events.ts';
import { hookOutcomeProbes } from './probes/hook-outcomes.ts';
import { mcpProbes } from './probes/mcp.ts';
import { permissionProbes } from './probes/permissions.ts';
import { queryProbes } from './probes/queries.ts';
import { sessionProbes } from './probes/sessions.ts';
import { turnEvidenceProbes } from './probes/turn-evidence.ts';

/** Every feature that is proven by a run of its own. */
export const probes: readonly Probe[] = [
  ...queryProbes,
  ...sessionProbes,
  ...turnEvidenceProbes,
  ...controlProbes,
  ...hookEventProbes,
  ...hookOutcomeProbes,
  ...permissionProbes,
  ...mcpProbes,
];

/** Every feature there is a column of the table for. */
export const features: readonly Feature[] = [...probes, ...flagFeatures];
