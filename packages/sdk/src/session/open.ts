import { OptionsError } from '../errors/options.ts';
import { NO_PLAN, planSession } from '../launch/plan.ts';
import type { SessionOptions } from '../options/groups.ts';
import type { HostFacts } from '../options/host.ts';
import { currentContext } from '../stream/async-context.ts';
import { SessionHandle } from './handle.ts';
import { LiveSession } from './live.ts';
import { planSessionRun } from './session-plan.ts';

/** What a session may be given by whoever opened it before this code was there. */
export interface OpenedEarly {
  /** The conversation's id, where a new one is needed. */
  readonly newId?: () => string;
  readonly host?: HostFacts;
}

/** Opens a session from layers of options, the strongest first. Never throws: what is wrong comes from `ready`. */
export function openSessionWith<T>(layers: readonly SessionOptions<T>[], early: OpenedEarly = {}): SessionHandle<T> {
  return new SessionHandle<T>(liveSession(layers, early), layers, openSessionWith);
}

/** The session behind a handle. */
function liveSession(
  layers: readonly SessionOptions[],
  { newId = () => crypto.randomUUID(), host }: OpenedEarly = {},
): LiveSession {
  const inContext = currentContext();
  try {
    return new LiveSession(planSessionRun(planSession(layers, host), newId), inContext);
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    return new LiveSession(planSessionRun(NO_PLAN, newId), inContext, { refusal: error });
  }
}
