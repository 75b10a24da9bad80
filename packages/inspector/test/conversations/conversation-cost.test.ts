import type { Message } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { ConversationCost } from '../../src/conversations/conversation-cost.ts';

describe('ConversationCost', () => {
  it('counts the tokens of an API message once, however many messages of the CLI share it', () => {
    const cost = new ConversationCost();
    cost.addTokensOf(answer('msg_1', 2));
    cost.addTokensOf(answer('msg_1', 5));
    cost.addTokensOf(answer('msg_2', 10));
    expect(cost.total).toMatchObject({ usd: 0, tokens: { output: 15 }, complete: false });
  });

  it('starts again from zero after clearTotal()', () => {
    const cost = new ConversationCost();
    cost.addTokensOf(answer('msg_1', 2));
    cost.clearTotal();
    cost.addTokensOf(answer('msg_1', 3));
    expect(cost.total.tokens.output).toBe(3);
  });

  it('[I-13] lists a bounded number of models, and takes no name for a field that every object has', () => {
    const cost = new ConversationCost();
    for (const [at, model] of ['toString', '__proto__', ...Array.from({ length: 500 }, (_, n) => `m${n}`)].entries())
      cost.addTokensOf(answer(`msg_${at}`, 1, model));
    expect(Object.keys(cost.byModel)).toHaveLength(100);
    const sum = Object.values(cost.byModel).reduce((all, { tokens }) => all + tokens.output, 0);
    expect([sum, cost.total.tokens.output]).toEqual([502, 502]);
  });

  it('[I-13] counts no negative and no infinite tokens', () => {
    const cost = new ConversationCost();
    cost.addTokensOf(answer('msg_1', -1e9));
    cost.addTokensOf(answer('msg_2', 1e308));
    cost.addTokensOf(answer('msg_3', 5));
    expect(cost.total.tokens.output).toBe(1_000_000_005);
  });

  it('sums up per model', () => {
    const cost = new ConversationCost();
    const spent = {
      usd: 1,
      estimated: 0,
      tokens: { input: 1, output: 2, cacheRead: 3, cacheCreation: 4 },
      complete: true,
    };
    cost.addByModel({ opus: spent });
    cost.addByModel({ opus: spent, haiku: spent });
    expect(cost.byModel).toMatchObject({ opus: { usd: 2, tokens: { cacheCreation: 8 } }, haiku: { usd: 1 } });
  });
});

function answer(id: string, output: number, model?: string): Message {
  const message = { id, model, role: 'assistant', content: [], usage: { output_tokens: output } };
  // Only these fields are read.
  return { type: 'assistant', message } as unknown as Message;
}
