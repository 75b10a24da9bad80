import type { SessionKey, SessionStore } from 'coxswain/store';
import { must } from '../transport-contract/stage.ts';
import { entries, type StoreRuleCheck, same, wordsIn } from './rule.ts';

const AGENT = 'subagents/agent-a1b2';
const BYTES = Uint8Array.from({ length: 70_000 }, (_, n) => n % 256);

/** Rules about lists. */
export const listRules: readonly StoreRuleCheck[] = [
  {
    name: 'listSessions: lists the conversations of the project, each once, with the time of their last change',
    rule: 'G-6',
    needs: ['listSessions'],
    async check({ store, key }) {
      const one = key();
      const other = { ...one, sessionId: crypto.randomUUID() };
      await store.append(one, entries('a'), { id: '1' });
      await store.append({ ...one, subpath: AGENT }, entries('b'), { id: '2' });
      await store.append(other, entries('c'), { id: '3' });
      await store.append(key(), entries('d'), { id: '4' });
      const listed = (await store.listSessions?.(one.projectKey)) ?? [];
      const ids = listed.map(({ sessionId }) => sessionId).sort();
      same(ids, [one.sessionId, other.sessionId].sort(), 'listSessions()');
      // The clocks of a store and of this machine may differ.
      const near = listed.every(({ mtime }) => Math.abs(mtime - Date.now()) < 24 * 3_600_000);
      must(near, `mtime is not in ms since the epoch: ${listed.map(({ mtime }) => mtime)}`);
    },
  },
  {
    name: 'listSessions: a project without conversations is empty',
    rule: 'G-6',
    needs: ['listSessions'],
    async check({ store, key }) {
      same(await store.listSessions?.(key().projectKey), [], 'listSessions()');
    },
  },
  {
    name: 'listSubkeys: lists the transcripts of subagents, but not the conversation itself',
    rule: 'G-6',
    needs: ['listSubkeys'],
    async check({ store, key }) {
      const one = key();
      same(await store.listSubkeys?.(one), [], 'listSubkeys() of nothing');
      await store.append(one, entries('a'), { id: '1' });
      await store.append({ ...one, subpath: AGENT }, entries('b'), { id: '2' });
      await store.append({ ...one, subpath: 'subagents/deeper/agent-c3' }, entries('c'), { id: '3' });
      const listed = [...((await store.listSubkeys?.(one)) ?? [])].sort();
      same(listed, [AGENT, 'subagents/deeper/agent-c3'], 'listSubkeys()');
    },
  },
];

/** Rules about deletion. */
export const deleteRules: readonly StoreRuleCheck[] = [
  {
    name: 'delete: removes the whole conversation and nothing else',
    rule: 'G-6',
    needs: ['delete'],
    async check({ store, key }) {
      const one = key();
      const other = { ...one, sessionId: crypto.randomUUID() };
      const agent = { ...one, subpath: AGENT };
      for (const each of [one, agent, other]) await store.append(each, entries('a'), { id: crypto.randomUUID() });
      await store.blobs?.put(one, 'tool-results/a.txt', BYTES);
      await store.delete?.(one);
      same(await store.load(one), null, 'load() of what was deleted');
      same(await store.load(agent), null, 'load() of its subagent');
      same(await wordsIn(store, other), ['a'], 'The other conversation');
      if (store.listSubkeys) same(await store.listSubkeys(one), [], 'listSubkeys() of what was deleted');
      if (store.blobs) same(await store.blobs.list(one), [], 'The files of what was deleted');
      await store.delete?.(one);
      await store.append(one, entries('a'), { id: 'again' });
      same(await wordsIn(store, one), ['a'], 'A conversation that begins again');
    },
  },
  {
    name: 'delete: with a subpath removes only that transcript',
    rule: 'G-6',
    needs: ['delete'],
    async check({ store, key }) {
      const one = key();
      await store.append(one, entries('a'), { id: '1' });
      await store.append({ ...one, subpath: AGENT }, entries('b'), { id: '2' });
      await store.delete?.({ ...one, subpath: AGENT });
      same(await wordsIn(store, one), ['a'], 'The conversation');
      same(await store.load({ ...one, subpath: AGENT }), null, 'load() of what was deleted');
    },
  },
];

/** Rules about files. */
export const blobRules: readonly StoreRuleCheck[] = [
  {
    name: 'blobs: files are returned byte for byte, replaced, listed and separate',
    rule: 'G-6',
    needs: ['blobs'],
    async check({ store, key }) {
      const one = key();
      const other = { ...one, sessionId: crypto.randomUUID() };
      same(await store.blobs?.get(one, 'tool-results/none.txt'), null, 'get() of nothing');
      same(await store.blobs?.list(one), [], 'list() of nothing');
      await store.blobs?.put(one, 'tool-results/a.txt', Uint8Array.of(1));
      await store.blobs?.put(one, 'tool-results/a.txt', BYTES);
      await store.blobs?.put(one, 'file-history/0a1b@v2', Uint8Array.of());
      await store.blobs?.put(other, 'tool-results/a.txt', Uint8Array.of(2));
      same(await read(store, one, 'tool-results/a.txt'), [...BYTES], 'The file');
      same(await read(store, one, 'file-history/0a1b@v2'), [], 'The empty file');
      same(await read(store, other, 'tool-results/a.txt'), [2], 'The file of another conversation');
      const listed = [...((await store.blobs?.list(one)) ?? [])].sort();
      same(listed, ['file-history/0a1b@v2', 'tool-results/a.txt'], 'list()');
    },
  },
  {
    name: 'blobs: files alone do not create a conversation',
    rule: 'G-6',
    needs: ['blobs', 'listSessions'],
    async check({ store, key }) {
      const one = key();
      await store.blobs?.put(one, 'tool-results/a.txt', BYTES);
      same(await store.load(one), null, 'load()');
      same(await store.listSessions?.(one.projectKey), [], 'listSessions()');
    },
  },
];

async function read(store: SessionStore, key: SessionKey, name: string): Promise<number[] | undefined> {
  const data = await store.blobs?.get(key, name);
  return data ? [...data] : undefined;
}
