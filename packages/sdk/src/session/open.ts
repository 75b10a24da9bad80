import { OptionsError } from '../errors/options.ts';
import { NO_PLAN, planSession } from '../launch/plan.ts';
import type { AgentOptions } from '../options/groups.ts';
import { currentContext } from '../stream/async-context.ts';
import { SessionHandle } from './handle.ts';
import { LiveSession } from './live.ts';
import { planSessionRun } from './session-plan.ts';

/** Opens a session from layers of options, the strongest first. Never throws: what is wrong comes from `ready`. */
export function openPlainSession<T>(layers: readonly AgentOptions<T>[]): SessionHandle<T> {
  return new SessionHandle<T>(liveSession(layers), layers, openPlainSession);
}

/** The session behind a handle. */
function liveSession(layers: readonly AgentOptions[]): LiveSession {
  const inContext = currentContext();
  const newId = (): string => crypto.randomUUID();
  try {
    return new LiveSession(planSessionRun(planSession(layers), newId), inContext);
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    return new LiveSession(planSessionRun(NO_PLAN, newId), inContext, { refusal: error });
  }
}
