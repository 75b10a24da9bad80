import { describe, expect, it } from 'vitest';
import { addCost, NO_COST } from '../../src/conversations/cost.ts';
import { ToolShares } from '../../src/stats/tool-shares.ts';

const TOTAL = {
  usd: 3,
  estimated: 0,
  tokens: { input: 300, output: 30, cacheRead: 3_000, cacheCreation: 60 },
  complete: true,
};

/** One message of an answer; an answer with several blocks arrives as several messages. */
const answer = (id: string, output: number, ...tools: readonly string[]): object => ({
  type: 'assistant',
  message: {
    id,
    model: 'claude-opus-5-5',
    content: tools.map((name) => ({ type: 'tool_use', name })),
    usage: { input_tokens: 0, output_tokens: output },
  },
});

describe('the cost of a turn by tool', () => {
  it('[I-13] follows the tokens of the answers, and adds up to the cost', () => {
    const shares = new ToolShares();
    shares.note(answer('m1', 5, 'Bash'));
    shares.note(answer('m1', 10, 'Edit'));
    shares.note(answer('m2', 20));
    shares.note({ type: 'user', message: {} });
    const byTool = shares.take(TOTAL);
    expect(byTool).toMatchObject({ Bash: { usd: 0.5 }, Edit: { usd: 0.5 }, 'no tool': { usd: 2 } });
    const sum = Object.values(byTool).reduce(addCost, NO_COST);
    expect(sum.usd).toBeCloseTo(3, 9);
    expect(sum.tokens.cacheRead).toBeCloseTo(3_000, 6);
  });

  it('[I-13] begins again with the next cost, and is empty without answers', () => {
    const shares = new ToolShares();
    shares.note(answer('m1', 5, 'Bash'));
    shares.take(TOTAL);
    expect(shares.take(TOTAL)).toEqual({});
  });
});
