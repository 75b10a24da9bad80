import { describe, expect, it } from 'vitest';
import { inMemoryCli } from '../../src/scripted/in-memory.ts';
import { script } from '../../src/scripted/script.ts';
import { scriptedCli } from '../../src/scripted/scripted-cli.ts';
import { startedSession } from '../started-session.ts';

const ID = '11111111-1111-4111-8111-111111111111';
const priced = script()
  .onPrompt('crash', (turn) => turn.say('Half of').crash())
  .otherwise((turn) => turn.say('Here.').result({ costUsd: 0.5 }));

describe('the costs of a scripted session', () => {
  it('[K-1, M-8] continue after a clean exit, and from the same point after a crash; each turn has its own cost', async () => {
    await using cli = await scriptedCli(priced);
    const totals: number[] = [];
    const costs: number[] = [];
    const turns = async (options: object, prompts: readonly string[]): Promise<void> => {
      await using session = await startedSession({ cli: cli.path, ...options });
      for (const prompt of prompts) {
        const turn = session.send(prompt);
        const { messages: items } = await turn.collect();
        const last = items.at(-1);
        if (last?.type === 'result') totals.push(last.total_cost_usd);
        costs.push((await turn.cost()).costUsd);
      }
    };
    await turns({ sessionId: ID }, ['one', 'two']);
    await turns({ resume: ID }, ['three', 'crash']);
    await turns({ resume: ID, forkSession: true }, ['four']);
    await turns({ resume: ID }, ['five']);
    expect(totals).toEqual([0.5, 1, 1.5, 1.5, 1.5]);
    expect(costs).toEqual([0.5, 0.5, 0.5, 0, 0.5, 0.5]);
  });

  it('[K-1] are reported by get_usage, and a budget applies to one process', async () => {
    const { transport } = inMemoryCli(priced);
    const first = await startedSession({ transport, sessionId: ID });
    await first.send('one').result();
    await first.close();
    await using session = await startedSession({ transport, resume: ID, maxBudgetUsd: 0.6 });
    expect(await session.request('get_usage')).toMatchObject({ session: { total_cost_usd: 0.5 } });
    expect(await session.send('two').result()).toMatchObject({ subtype: 'success', total_cost_usd: 1 });
  });
});
