/** The options that say which conversation a session is about. */
export interface ConversationChoice {
  readonly sessionId?: string | undefined;
  readonly resume?: string | undefined;
  readonly forkSession?: boolean | undefined;
  readonly continue?: boolean | undefined;
}

/** The id of a session's conversation; `undefined` when the CLI chooses the conversation itself. */
export function conversationId(choice: ConversationChoice, newId: () => string): string | undefined {
  const kept = choice.forkSession ? undefined : choice.resume;
  return choice.sessionId ?? kept ?? (choice.continue && choice.resume === undefined ? undefined : newId());
}
