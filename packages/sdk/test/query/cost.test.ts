import { describe, expect, it } from 'vitest';
import { assistant, INIT, result, say } from '../support/say.ts';

const costing = (costUsd: number): object => ({
  uuid: crypto.randomUUID(),
  total_cost_usd: 100,
  model_usage_since_last_result: { opus: { costUSD: costUsd } },
});

describe('the cost of a query', () => {
  it('[M-8] is the sum of its results; cost() reads the stream to the end', async () => {
    const { stream } = say([{ message: INIT }, { message: result(costing(2)) }, { message: result(costing(1)) }]);
    expect(await stream.cost()).toMatchObject({ costUsd: 3, complete: true });
  });

  it('[M-8] is incomplete for an aborted query, and for one whose CLI died', async () => {
    const stop = new AbortController();
    const aborted = say([{ message: INIT }, { message: assistant('one') }, { stay: true }], { signal: stop.signal });
    for await (const _ of aborted.stream.items()) {
      stop.abort();
      break;
    }
    expect(await aborted.stream.cost()).toMatchObject({ costUsd: 0, complete: false });
    const died = say([{ message: INIT }, { exit: 1 }]);
    expect(await died.stream.cost()).toMatchObject({ costUsd: 0, complete: false });
  });

  it('[M-8] is zero if the query never started', async () => {
    const { stream } = say([], { signal: AbortSignal.abort() });
    expect(await stream.cost()).toMatchObject({ costUsd: 0, complete: true });
  });

  it.each([
    ['2.1.276', 2, true],
    ['2.1.290', 0, false],
  ])('[M-8] with resume and the totals of %s is $%d, complete %s', async (claude_code_version, costUsd, complete) => {
    const resume = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';
    const total = result({ total_cost_usd: 2, uuid: 'r' });
    const { stream } = say([{ message: { ...INIT, claude_code_version } }, { message: total }], { resume });
    expect(await stream.cost()).toMatchObject({ costUsd, complete });
  });
});
