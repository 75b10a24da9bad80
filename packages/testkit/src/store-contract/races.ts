import { must } from '../transport-contract/stage.ts';
import { entries, type StoreRuleCheck, same, wordsIn } from './rule.ts';

const WRITERS = 4;
const CALLS = 12;

/** Rules about concurrent writers, and about a writer that dies. */
export const raceRules: readonly StoreRuleCheck[] = [
  {
    name: 'append: calls that are not awaited lose nothing, and each stays whole',
    rule: 'G-3',
    async check({ store, key }) {
      const one = key();
      const calls = Array.from({ length: CALLS }, (_, n) =>
        store.append(one, entries(`${n}-a`, `${n}-b`, `${n}-c`), { id: `call-${n}` }),
      );
      await Promise.all(calls);
      whole(await wordsIn(store, one), CALLS);
    },
  },
  {
    name: 'append: several writers on one transcript lose nothing, and each keeps its order',
    rule: 'G-3',
    needs: ['reopen'],
    async check(stage) {
      const one = stage.key();
      const writers = [stage.store, ...(await Promise.all(Array.from({ length: WRITERS - 1 }, () => stage.reopen())))];
      await Promise.all(
        writers.map(async (store, writer) => {
          for (let n = 0; n < CALLS; n += 1) {
            const name = `${writer * CALLS + n}`;
            await store.append(one, entries(`${name}-a`, `${name}-b`, `${name}-c`), { id: `writer-${name}` });
          }
        }),
      );
      const words = await wordsIn(stage.store, one);
      whole(words, WRITERS * CALLS);
      for (let writer = 0; writer < WRITERS; writer += 1) {
        const own = words.map((word) => Number.parseInt(word, 10)).filter((n) => Math.floor(n / CALLS) === writer);
        must(
          own.every((n, index) => index === 0 || n >= (own[index - 1] ?? 0)),
          `Writer ${writer} is out of order`,
        );
      }
    },
  },
  {
    name: 'append: the same batch from two writers at once is stored once',
    rule: 'G-3',
    needs: ['reopen'],
    async check(stage) {
      const one = stage.key();
      const other = await stage.reopen();
      const notes = [...entries('a'), { type: 'note', note: 'n' }, ...entries('b')];
      await Promise.all([stage.store, other].map((store) => store.append(one, notes, { id: 'same' })));
      same(await wordsIn(stage.store, one), ['a', 'n', 'b'], 'The entries');
    },
  },
  {
    name: 'load: another writer sees what was appended',
    rule: 'G-6',
    needs: ['reopen'],
    async check(stage) {
      const one = stage.key();
      await stage.store.append(one, entries('a'), { id: 'first' });
      same(await wordsIn(await stage.reopen(), one), ['a'], 'The entries');
    },
  },
  {
    name: 'append: after a crash in the middle of a call, the torn batch is not seen and the next one is whole',
    rule: 'G-3',
    needs: ['tear'],
    async check(stage) {
      const one = stage.key();
      await stage.store.append(one, entries('a', 'b'), { id: 'first' });
      await stage.tear(one);
      same(await wordsIn(stage.store, one), ['a', 'b'], 'The entries after the crash');
      await stage.store.append(one, entries('c', 'd'), { id: 'second' });
      same(await wordsIn(stage.store, one), ['a', 'b', 'c', 'd'], 'The entries after the next call');
    },
  },
];

/** Checks that every batch of three is stored once and without other entries in between. */
function whole(words: readonly string[], batches: number): void {
  must(words.length === 3 * batches, `${words.length} entries instead of ${3 * batches}`);
  must(new Set(words).size === words.length, 'An entry was stored twice');
  for (let at = 0; at < words.length; at += 3) {
    const [a = '', b, c] = words.slice(at, at + 3);
    const name = a.replace('-a', '');
    must(b === `${name}-b` && c === `${name}-c`, `A batch was torn apart: ${words.slice(at, at + 3)}`);
  }
}
