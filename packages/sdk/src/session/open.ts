import { OptionsError } from '../errors/options.ts';
import { NO_PLAN, planSession } from '../launch/plan.ts';
import type { SessionOptions } from '../options/groups.ts';
import { currentContext } from './context.ts';
import { SessionHandle } from './handle.ts';
import { LiveSession, type SessionTap } from './live.ts';
import type { Session } from './session.ts';
import { planSessionRun } from './session-plan.ts';

/** Opens a session at once; `ready` settles when it is. Never throws. */
export function openSession<T = unknown>(options: SessionOptions<T> = {}): Session<T> {
  return openSessionWith([options]);
}

/** Opens a session and waits until it is ready. @throws the start error */
export async function startSession<T = unknown>(options: SessionOptions<T> = {}): Promise<Session<T>> {
  const session = openSession(options);
  await session.ready;
  return session;
}

/** The same with layers of options, the strongest first. */
export function openSessionWith<T>(layers: readonly SessionOptions<T>[]): Session<T> {
  return new SessionHandle<T>(liveSession(layers), layers, openSessionWith);
}

/** The session behind a handle. */
export function liveSession(layers: readonly SessionOptions[], tap?: SessionTap): LiveSession {
  const inContext = currentContext();
  const newId = (): string => crypto.randomUUID();
  try {
    return new LiveSession(planSessionRun(planSession(layers), newId), inContext, tap ? { tap } : {});
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    return new LiveSession(planSessionRun(NO_PLAN, newId), inContext, { refusal: error });
  }
}
