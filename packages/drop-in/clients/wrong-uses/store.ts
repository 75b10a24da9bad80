import {
  InMemorySessionStore,
  type SessionKey,
  type SessionStore,
  type SessionStoreEntry,
} from '@anthropic-ai/claude-agent-sdk';

const entries = new Map<string, SessionStoreEntry[]>();
export const store: SessionStore = {
  async append({ projectKey, sessionId, subpath }: SessionKey, added) {
    entries.set([projectKey, sessionId, subpath].join('/'), added);
  },
  async load({ sessionId }) {
    return entries.get(sessionId) ?? null;
  },
};
export const memory: SessionStore = new InMemorySessionStore();
export const size: number = new InMemorySessionStore().size;
export const empty: SessionStore = {}; // wrong
export const sync: SessionStore = { append() {}, load: async () => null }; // wrong
export const entry: SessionStoreEntry = { uuid: 'a' }; // wrong
