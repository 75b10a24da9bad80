import type { StoreEntry } from 'coxswain/store';
import { must } from '../transport-contract/stage.ts';
import { entries, type StoreRuleCheck, same, wordsIn } from './rule.ts';

/** Valid JSON that some stores change. */
const DIFFICULT: readonly StoreEntry[] = [
  { z: 1, type: 'user', a: 2, uuid: 'difficult-1', nested: { y: [null, true, { b: 1, a: 2 }], x: '' } },
  { type: 'unknown-type', uuid: 'difficult-2', text: 'ä 🚣 \u2028 \\ " \n \t \u0001', lone: '\ud800' },
  { type: 'numbers', uuid: 'difficult-3', values: [0, -1.5, 1e21, 1e-7, 9_007_199_254_740_991] },
  { type: 'keys', uuid: 'difficult-4', 'a.b': 1, $set: 2, '': 3, constructor: 4 },
  { type: 'nul', uuid: 'difficult-5', text: 'before\u0000after' },
];

const MANY: readonly StoreEntry[] = Array.from({ length: 2_000 }, (_, n) => ({ type: 'user', uuid: `many-${n}`, n }));

/** Rules about storing transcripts. */
export const appendRules: readonly StoreRuleCheck[] = [
  {
    name: 'load: a transcript that was never written is null',
    rule: 'G-6',
    async check({ store, key }) {
      same(await store.load(key()), null, 'load() of nothing');
    },
  },
  {
    name: 'append: entries are returned in order, call by call',
    rule: 'G-3',
    async check({ store, key }) {
      const one = key();
      await store.append(one, entries('a', 'b'), { id: 'first' });
      await store.append(one, entries('c'), { id: 'second' });
      await store.append(one, entries('d', 'e'), { id: 'third' });
      same(await wordsIn(store, one), ['a', 'b', 'c', 'd', 'e'], 'The entries');
    },
  },
  {
    name: 'append: entries are returned byte for byte, with all fields in their order',
    rule: 'G-3',
    async check({ store, key }) {
      const one = key();
      await store.append(one, DIFFICULT, { id: 'difficult' });
      const loaded = (await store.load(one)) ?? [];
      for (const [index, entry] of DIFFICULT.entries()) same(loaded[index], entry, `Entry ${index}`);
    },
  },
  {
    name: 'append: the entries are copied, not kept',
    rule: 'G-6',
    async check({ store, key }) {
      const one = key();
      const given: StoreEntry[] = [{ type: 'user', uuid: 'a', message: { content: 'before' } }];
      await store.append(one, given, { id: 'copied' });
      Object.assign(Object(given[0]?.message), { content: 'after' });
      same((await store.load(one))?.[0]?.message, { content: 'before' }, 'The stored entry');
    },
  },
  {
    name: 'append: an entry with a stored uuid is not added again',
    rule: 'G-3',
    async check({ store, key }) {
      const one = key();
      await store.append(one, entries('a', 'b'), { id: 'first' });
      await store.append(one, entries('b', 'c'), { id: 'second' });
      same(await wordsIn(store, one), ['a', 'b', 'c'], 'The entries');
    },
  },
  {
    name: 'append: a repeated batch adds nothing, even without uuids',
    rule: 'G-3',
    async check({ store, key }) {
      const one = key();
      const notes = [{ type: 'note', note: 'n1' }, ...entries('a'), { type: 'note', note: 'n2' }];
      await store.append(one, notes, { id: 'batch' });
      await store.append(one, notes, { id: 'batch' });
      await store.append(one, [{ type: 'note', note: 'n1' }], { id: 'another' });
      same(await wordsIn(store, one), ['n1', 'a', 'n2', 'n1'], 'The entries');
    },
  },
  {
    name: 'append: without a batch, only uuids are compared',
    rule: 'G-6',
    async check({ store, key }) {
      const one = key();
      await store.append(one, [{ type: 'note', note: 'n' }]);
      await store.append(one, [{ type: 'note', note: 'n' }, ...entries('a')]);
      await store.append(one, entries('a'));
      same(await wordsIn(store, one), ['n', 'n', 'a'], 'The entries');
    },
  },
  {
    name: 'append: conversations, projects and subagents are separate',
    rule: 'G-6',
    async check({ store, key }) {
      const one = key();
      const keys = [
        one,
        { ...one, sessionId: crypto.randomUUID() },
        { ...one, projectKey: `${one.projectKey}/../other project` },
        { ...one, subpath: 'subagents/agent-a1' },
        { ...one, subpath: 'subagents/agent-a2' },
      ];
      for (const [index, each] of keys.entries()) await store.append(each, entries(`w${index}`), { id: `b${index}` });
      for (const [index, each] of keys.entries()) {
        same(await wordsIn(store, each), [`w${index}`], `Transcript ${JSON.stringify(each)}`);
      }
    },
  },
  {
    name: 'append: 2,000 entries, and one of 4 MiB',
    rule: 'G-6',
    async check({ store, key }) {
      const one = key();
      await store.append(one, MANY, { id: 'many' });
      await store.append(one, [{ type: 'user', uuid: 'big', text: 'x'.repeat(4 * 1024 * 1024) }], { id: 'big' });
      const loaded = (await store.load(one)) ?? [];
      must(loaded.length === MANY.length + 1, `${loaded.length} entries instead of ${MANY.length + 1}`);
      must(
        MANY.every(({ n }, index) => loaded[index]?.n === n),
        'The entries are out of order',
      );
      must(String(loaded.at(-1)?.text).length === 4 * 1024 * 1024, 'The large entry was cut');
    },
  },
];
