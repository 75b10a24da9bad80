// The entry `coxswain/raw`: one CLI process, its frames and nothing else.

export { type StoredConversation, storeConversation } from '../store/store-conversation.ts';
export {
  openRawSession,
  type RawEnd,
  type RawFrame,
  type RawRequest,
  type RawRequestContext,
  type RawSession,
  type RawSessionOptions,
} from './raw-session.ts';
