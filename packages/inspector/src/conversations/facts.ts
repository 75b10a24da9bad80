import type { Conversation } from '../api.ts';

/** What a source knows about a conversation. */
export type Facts = Pick<
  Conversation,
  'title' | 'sessionId' | 'model' | 'startedAt' | 'updatedAt' | 'parent' | 'key' | 'file' | 'cwd' | 'gitBranch'
>;

/** What is known about a conversation that its source only names. */
export function noFacts(): Facts {
  return {
    ...{ title: '', sessionId: null, model: null, startedAt: null, updatedAt: Date.now(), parent: null },
    ...{ key: null, file: null, cwd: null, gitBranch: null },
  };
}
