import { hostFacts } from '../launch/host-facts.ts';
import { copied } from '../options/copied.ts';
import type { SessionOptions } from '../options/groups.ts';
import { type ConversationChoice, conversationId } from '../session/conversation-id.ts';
import type { OpenedEarly } from '../session/open.ts';
import type { Session } from '../session/session.ts';
import type { SupervisedSession } from '../supervise/supervised-session.ts';
import type { SupervisionPolicy } from '../supervise/supervision.ts';
import { Late } from './late.ts';
import { LateSession, LateSupervisedSession } from './late-session.ts';
import { engine, supervision } from './part.ts';

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

/** Opens a session that outlives its CLI, at once; `ready` settles when it is. Never throws. */
export function superviseSession<T = unknown>(
  options: SessionOptions<T> = {},
  policy: SupervisionPolicy = {},
): SupervisedSession<T> {
  return superviseSessionWith([options], policy);
}

/** `openSession` with layers of options, the strongest first. */
export function openSessionWith<T>(layers: readonly SessionOptions<T>[]): Session<T> {
  if (engine.loaded) return engine.loaded.openSessionWith(layers);
  const { id, asGiven, early } = asAsked(layers);
  return new LateSession<T>(
    id,
    Late.of(engine.load(), (loaded) => loaded.openSessionWith(asGiven, early)),
  );
}

/** `superviseSession` with layers of options, the strongest first. */
export function superviseSessionWith<T>(
  layers: readonly SessionOptions<T>[],
  policy: SupervisionPolicy,
): SupervisedSession<T> {
  if (supervision.loaded) return supervision.loaded.superviseSessionWith(layers, policy);
  const { id, asGiven, early } = asAsked(layers);
  const [rules = policy] = copied([policy]);
  return new LateSupervisedSession<T>(
    id,
    Late.of(supervision.load(), (loaded) => loaded.superviseSessionWith(asGiven, rules, early)),
  );
}

/** What was asked for at the call: by the time the engine is there, the options and the environment may be others. */
function asAsked<T>(layers: readonly SessionOptions<T>[]): {
  readonly id: string | undefined;
  readonly asGiven: readonly SessionOptions<T>[];
  readonly early: OpenedEarly;
} {
  const fresh = crypto.randomUUID();
  const newId = (): string => fresh;
  const asGiven = copied(layers);
  const id = conversationId(choiceOf(asGiven), newId);
  return { id, asGiven, early: { newId, host: hostFacts({ ...process.env }) } };
}

function choiceOf(layers: readonly ConversationChoice[]): ConversationChoice {
  const given = <K extends keyof ConversationChoice>(name: K): ConversationChoice[K] =>
    layers.find((layer) => layer?.[name] !== undefined)?.[name];
  return {
    sessionId: given('sessionId'),
    resume: given('resume'),
    forkSession: given('forkSession'),
    continue: given('continue'),
  };
}
