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

function answer(id: string, output: number): Message {
  const message = { id, role: 'assistant', content: [], usage: { output_tokens: output } };
  // Only these fields are read.
  return { type: 'assistant', message } as unknown as Message;
}
