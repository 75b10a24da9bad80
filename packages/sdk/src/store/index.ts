// The entry `coxswain/store`: conversations that can be resumed on any machine.
export { type FileStore, fileStore } from './file-store.ts';
export { type MemoryStore, memoryStore } from './memory-store.ts';
export type {
  AppendBatch,
  BlobStore,
  SessionKey,
  SessionStore,
  StoredSession,
  StoredSummary,
  StoreEntry,
  StoreFailure,
} from './session-store.ts';
export { projectKeyOf } from './stored-conversation.ts';
