/** The session of each conversation on the page, and the conversation of each session. */
const sessions = new Map<string, string>();
const conversations = new Map<string, string>();

/** Links to a conversation name its session: that survives a resume, and a restart of the server. The first one of a session counts. */
export function nameConversation(id: string, sessionId: string): void {
  if (conversations.has(sessionId)) return;
  conversations.set(sessionId, id);
  sessions.set(id, sessionId);
}

/** Forgets the session of a conversation, and returns it. */
export function forgetName(id: string): string | undefined {
  const session = sessions.get(id);
  sessions.delete(id);
  if (session !== undefined) conversations.delete(session);
  return session;
}

/** The name of a conversation in links. */
export function nameInLinks(id: string): string {
  return sessions.get(id) ?? id;
}

/** The conversation that a link names. */
export function namedInLink(name: string): string {
  return conversations.get(name) ?? name;
}
