import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type FollowItem, openFleet, startWorker } from '@coxswain/fleet';
import { textOf } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { quick as limits, scriptedAgent } from '../support/agents.ts';
import { testDatabase } from '../support/database.ts';

const MESSAGES = 1_000;
const TEXT = 'x'.repeat(20_000);

/** A page of 100 rows has 2 MB, and several copies exist while it is read. */
const BOUND = 10 * 2 ** 20;

describe('a follower that does not read', () => {
  it('[F-7] keeps little in memory while a thousand messages arrive, and then receives all of them in order', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    const agent = scriptedAgent((turn) => {
      for (let n = 0; n < MESSAGES; n += 1) turn.say(`${n} ${TEXT}`);
      return turn;
    });
    const turn = await fleet.submit({ key: 'ann', prompt: 'talk' });
    const items = turn.follow();
    await using worker = await startWorker({ database, schema, limits, agent });
    // Begins to read, then reads nothing until the turn has ended: 20 MB.
    const first = await items.next();
    const after = first.done ? 0 : first.value.seq;
    await turn.outcome();
    await worker.drain();
    const held = usedMemory();
    await items.return();
    const free = usedMemory();
    expect(held - free).toBeLessThan(BOUND);
    const numbers: number[] = [];
    let most = 0;
    let last: FollowItem | undefined;
    for await (const item of turn.follow({ after })) {
      last = item;
      if (item.kind !== 'message' || item.message.type !== 'assistant') continue;
      numbers.push(Number(textOf(item.message).split(' ')[0]));
      if (numbers.length % 250 === 0) most = Math.max(most, usedMemory() - free);
    }
    expect(numbers).toEqual(Array.from({ length: MESSAGES }, (_, n) => n));
    expect(last).toMatchObject({ kind: 'outcome', outcome: { kind: 'completed' } });
    expect(most).toBeLessThan(BOUND);
  });
});

/** Memory in use after a garbage collection. */
function usedMemory(): number {
  gc();
  return process.memoryUsage().heapUsed;
}

/** The garbage collector, without a command-line flag. */
function gc(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}
