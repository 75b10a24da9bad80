import type { StoredConversation, StoreUse } from './stored-conversation.ts';

export type { StoredConversation } from './stored-conversation.ts';

/**
 * Keeps the conversation of a raw session in a store: `restore` before the start, `take` for each `transcript_mirror` frame,
 * `flush` before a result is used, `end` when the process has exited. The CLI needs `--session-mirror`. Sessions with the
 * option `sessionStore` do all of this themselves.
 */
export async function storeConversation(use: StoreUse): Promise<StoredConversation> {
  const { StoredConversation } = await import('./stored-conversation.ts');
  return new StoredConversation(use);
}
