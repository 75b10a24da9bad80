import { flagFeatures } from './flags.ts';
import type { Feature, Probe } from './probe.ts';
import { controlProbes } from './probes/control.ts';
import { hookEventProbes } from './probes/hook-events.ts';
import { hookOutcomeProbes } from './probes/hook-outcomes.ts';
import { mcpProbes } from './probes/mcp.ts';
import { permissionProbes } from './probes/permissions.ts';
import { queryProbes } from './probes/queries.ts';
import { sessionStoreProbes } from './probes/session-store.ts';
import { sessionProbes } from './probes/sessions.ts';
import { turnEvidenceProbes } from './probes/turn-evidence.ts';

/** Every feature that is proven by a separate run. */
export const probes: readonly Probe[] = [
  ...queryProbes,
  ...sessionProbes,
  ...sessionStoreProbes,
  ...turnEvidenceProbes,
  ...controlProbes,
  ...hookEventProbes,
  ...hookOutcomeProbes,
  ...permissionProbes,
  ...mcpProbes,
];

/** Every feature that has a row in the table. */
export const features: readonly Feature[] = [...probes, ...flagFeatures];
