// The entry `coxswain/raw`: one CLI process, its frames and nothing else.

export { knownVersion } from '../cli/detect-version.ts';
export { findInstalledCli } from '../cli/locate.ts';
export { type StoredConversation, storeConversation } from '../store/store-conversation.ts';
export { openRawSession } from './open-raw-session.ts';
export type {
  RawEnd,
  RawFrame,
  RawRequest,
  RawRequestContext,
  RawSession,
  RawSessionOptions,
} from './raw-session.ts';
