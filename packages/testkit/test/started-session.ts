import { type OpenSessionOptions, openSession, type Session } from 'coxswain';

/** A session that is ready. @throws the start error */
export async function startedSession(options: OpenSessionOptions = {}): Promise<Session> {
  const session = openSession(options);
  await session.ready;
  return session;
}
