import type { RunPlan } from '../launch/plan.ts';
import { planSessionRun, type SessionPlan } from '../session/session-plan.ts';

/** The plan of one life of a supervised session. What the caller's signal does is decided for the whole of it. */
export function planLife(plan: RunPlan, newId: () => string = () => crypto.randomUUID()): SessionPlan {
  return planSessionRun({ ...plan, options: { ...plan.options, signal: undefined } }, newId);
}
