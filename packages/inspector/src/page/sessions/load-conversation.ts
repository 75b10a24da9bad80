import type { ConversationDetail } from '../../api.ts';
import { getJson, RequestError } from '../connection/http.ts';
import { followConversation } from '../route.ts';
import { dropConversation, takeConversation } from './conversations.ts';

/** Fetches a conversation for the list; resolves with why it cannot be shown, or `null`. */
export async function loadConversation(id: string): Promise<string | null> {
  try {
    const detail = await getJson<ConversationDetail>(`api/conversations/${encodeURIComponent(id)}`);
    takeConversation(detail.conversation);
    followConversation(id, detail.conversation.id);
    return null;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    if (error.code === 'not-found') dropConversation(id);
    return error.message;
  }
}
