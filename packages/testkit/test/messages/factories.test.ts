import { assemblePartials, type Message, outcomeOf, textDeltaOf, textOf, toolResultsOf, toolUsesOf } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { assistantMessage, toolUseMessage } from '../../src/messages/assistant.ts';
import { textBlock, thinkingBlock, toolUseBlock } from '../../src/messages/blocks.ts';
import { outcomeResult } from '../../src/messages/outcome-result.ts';
import { partialMessages } from '../../src/messages/partials.ts';
import { rateLimitEvent } from '../../src/messages/progress.ts';
import { resultMessage } from '../../src/messages/result.ts';
import { systemInit, systemMessage } from '../../src/messages/system.ts';
import { refusedToolMessage, toolResultMessage, userMessage } from '../../src/messages/user.ts';
import { everyMessage, outcomeKinds } from './every-factory.ts';

describe('factories', () => {
  it('[K-4] accept fields that replace the defaults', () => {
    expect(systemInit({ model: 'claude-x', cwd: '/tmp' })).toMatchObject({ model: 'claude-x', original_cwd: '/tmp' });
    expect(assistantMessage('Hi.', { session_id: 's', message: { model: 'claude-x' } })).toMatchObject({
      session_id: 's',
      message: { model: 'claude-x', content: [{ text: 'Hi.' }] },
    });
    expect(resultMessage('Hi.', { total_cost_usd: 2 }).modelUsage).toMatchObject({ 'claude-opus-5-5': { costUSD: 2 } });
    expect(systemMessage('status', { status: 'compacting', uuid: 'u' })).toMatchObject({
      subtype: 'status',
      uuid: 'u',
    });
  });

  it('[K-4] keep no state: the same call makes the same message, another one another id', () => {
    expect(toolUseMessage('Bash', { command: 'ls' })).toEqual(toolUseMessage('Bash', { command: 'ls' }));
    const [ls, date] = [toolUseMessage('Bash', { command: 'ls' }), toolUseMessage('Bash', { command: 'date' })];
    expect(toolUsesOf(ls)[0]?.id).not.toBe(toolUsesOf(date)[0]?.id);
    expect(ls.uuid).not.toBe(date.uuid);
    const ids = everyMessage.map((message) => ('uuid' in message ? message.uuid : undefined));
    const twice = ids.filter((id, index) => ids.indexOf(id) !== index);
    expect(twice).toEqual([]);
  });

  it('[K-4] link a result to its call, by message, block or id', () => {
    const call = toolUseMessage('Read', { file_path: 'a' });
    const [block] = toolUsesOf(call);
    const id = block?.id ?? '';
    for (const ref of [call, toolUseBlock('Read', { file_path: 'a' }), id]) {
      expect(toolResultsOf(toolResultMessage(ref, 'text'))).toMatchObject([{ tool_use_id: id, content: 'text' }]);
    }
    expect(() => toolResultMessage(assistantMessage('No tool here.'), 'x')).toThrow('calls no tool');
  });

  it('[K-4] name what refused a call', () => {
    const call = toolUseMessage('Bash', { command: 'rm -r build' });
    expect(refusedToolMessage(call, 'No.', { by: 'hook' })).toMatchObject({
      message: { content: [{ content: 'PreToolUse:Bash hook error: No.', is_error: true }] },
      tool_use_result: 'Error: PreToolUse:Bash hook error: No.',
      tool_result_meta: [{ permission_decision: { decision: 'reject', source: 'hook' } }],
    });
  });

  it.each(outcomeKinds)('[K-4] make a result that ended with: %s', (kind) => {
    expect(outcomeOf(outcomeResult(kind)).kind).toBe(kind);
    expect(outcomeOf(outcomeResult(kind, { session_id: 'mine' })).kind).toBe(kind);
  });

  it('[K-4] make a rate limit with a reset time in the outcome', () => {
    const rateLimit = rateLimitEvent('rejected', { resetsAt: 1_800_000_000 });
    expect(outcomeOf(outcomeResult('rate-limit'), { rateLimit })).toMatchObject({ resetsAt: 1_800_000_000_000 });
  });

  it('[K-4] stream an answer in partial messages that can be assembled', async () => {
    const answer = assistantMessage([
      thinkingBlock('Let me think.'),
      textBlock('One two three.'),
      toolUseBlock('Bash', { command: 'echo "ä 🚣"' }),
    ]);
    for (const options of [{}, { chunkSize: 1 }, { chunkSize: 5 }]) {
      const events = partialMessages(answer, options);
      const assembled = await last(assemblePartials(stream(events)));
      expect(assembled).toMatchObject({ message: { id: answer.message.id, content: answer.message.content } });
      const texts = events.map((event) => textDeltaOf(event)).filter((added) => added !== '');
      expect(texts.join('')).toBe('One two three.');
      expect(texts.length).toBeGreaterThan(2);
    }
  });

  it('[K-4] can be read with the functions of the SDK', () => {
    expect(textOf(assistantMessage('Hi.'))).toBe('Hi.');
    expect(textOf(userMessage('Hello?'))).toBe('Hello?');
    expect(textOf(resultMessage('Bye.'))).toBe('Bye.');
  });
});

async function* stream(messages: readonly Message[]): AsyncGenerator<Message> {
  yield* messages;
}

async function last<T>(items: AsyncIterable<T>): Promise<T | undefined> {
  let found: T | undefined;
  for await (const item of items) found = item;
  return found;
}
