import type { Conversation } from '../api.ts';

/** The fields of a conversation that its source supplies. */
export type ConversationInfo = Pick<
  Conversation,
  'title' | 'sessionId' | 'model' | 'startedAt' | 'updatedAt' | 'parent' | 'key' | 'file' | 'cwd' | 'gitBranch'
>;

/** The fields of a conversation whose source supplies only an id. */
export function emptyInfo(): ConversationInfo {
  return {
    ...{ title: '', sessionId: null, model: null, startedAt: null, updatedAt: Date.now(), parent: null },
    ...{ key: null, file: null, cwd: null, gitBranch: null },
  };
}
