import type { Message } from 'coxswain';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Hub } from '../../src/conversations/hub.ts';
import type { ConversationRecord } from '../../src/conversations/record.ts';

const SOURCE = { id: 'test', kind: 'process', label: 'test' } as const;
const MOMENT = { at: 1, turn: null };

function record(redact = (text: string): string => text): ConversationRecord {
  const hub = new Hub([], { redact, readOnly: false, onAudit: undefined });
  onTestFinished(() => hub.close());
  return hub.add(SOURCE, 'p-1', {});
}

// As from a CLI whose messages fit no type.
const asMessage = (value: object): Message => value as unknown as Message;
const said = (...content: object[]): Message =>
  asMessage({ type: 'assistant', parent_tool_use_id: null, message: { id: 'm', model: 'x', content } });
const result = (content: unknown, more: object = {}): Message =>
  asMessage({
    type: 'user',
    parent_tool_use_id: null,
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content, ...more }] },
  });

describe('a hostile transcript', () => {
  it('[I-3] with a result of 50 MB is cut, and the full text is available', () => {
    const conversation = record();
    conversation.message(said({ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'yes' } }), MOMENT);
    conversation.message(result('y\n'.repeat(25_000_000)), MOMENT);
    const entry = conversation.entry(0);
    if (entry?.kind !== 'tool' || !entry.result) throw new Error('no tool');
    expect(entry.result.length).toBe(50_000_000);
    expect(entry.result.text.length).toBeLessThanOrEqual(4_000);
    expect(entry.result.more).toBe('api/conversations/p-1/parts/0');
    expect(conversation.entries.part(0)?.length).toBe(50_000_000);
    expect(JSON.stringify(entry).length).toBeLessThan(20_000);
  });

  it('[I-3] with a long diff is cut, and the full diff is available as text', () => {
    const conversation = record();
    const input = { file_path: '/a', old_string: 'x\n'.repeat(3_000), new_string: 'y\n'.repeat(3_000) };
    conversation.message(said({ type: 'tool_use', id: 't', name: 'Edit', input }), MOMENT);
    const entry = conversation.entry(0);
    if (entry?.kind !== 'tool' || !entry.diff) throw new Error('no diff');
    expect(entry.diff).toMatchObject({ added: 3_000, removed: 3_000 });
    expect(entry.diff.hunks.flatMap(({ lines }) => lines)).toHaveLength(400);
    expect(entry.diff.more).not.toBeNull();
  });

  it('[I-5] is redacted in every part, and half a streamed secret is withheld', () => {
    const conversation = record((text) => text.replaceAll('hunter2000', '[redacted]'));
    const secret = 'the key is hunter2000, keep it';
    conversation.prompt(secret, { at: 1, turn: 'a' }, false);
    conversation.message(said({ type: 'text', text: secret }), MOMENT);
    conversation.message(said({ type: 'thinking', thinking: secret }), MOMENT);
    const input = { command: secret, file_path: '/hunter2000', old_string: 'hunter2000', new_string: 'b' };
    conversation.message(said({ type: 'tool_use', id: 't', name: 'Edit', input }), MOMENT);
    conversation.message(result(secret), MOMENT);
    conversation.note('stderr', secret, MOMENT, { secret });
    conversation.problem({ kind: 'warning', code: 'x', message: secret, remedy: '', detail: { secret } }, MOMENT);
    conversation.message(asMessage({ type: 'system', subtype: 'informational', content: secret }), MOMENT);
    const stream = (event: object): void =>
      conversation.message(asMessage({ type: 'stream_event', parent_tool_use_id: null, event }), MOMENT);
    stream({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
    stream({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'it is hunter' } });
    const all = Array.from({ length: conversation.entries.total }, (_, n) => conversation.entry(n));
    expect(JSON.stringify(all)).not.toContain('hunter');
    expect(JSON.stringify(conversation.summary())).not.toContain('hunter');
    stream({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '2000 indeed' } });
    expect(JSON.stringify(conversation.entry(conversation.entries.total - 1))).toContain('it is [redacted] ');
  });

  it('[I-3] with arbitrary messages never throws, and its numbers have no gaps', () => {
    const kinds = ['assistant', 'user', 'system', 'result', 'stream_event', 'rate_limit_event', 'other'];
    const hostile = fc.record(
      {
        type: fc.constantFrom(...kinds),
        subtype: fc.oneof(fc.constantFrom('init', 'api_retry', 'compact_boundary', 'task_started'), fc.string()),
        message: fc.oneof(fc.anything(), fc.record({ content: fc.array(fc.anything()), id: fc.string() })),
        event: fc.anything(),
        parent_tool_use_id: fc.oneof(fc.constant(null), fc.string()),
        compact_metadata: fc.anything(),
      },
      { requiredKeys: ['type'] },
    );
    fc.assert(
      fc.property(fc.array(hostile, { maxLength: 20 }), (messages) => {
        const conversation = record();
        for (const message of messages) conversation.message(asMessage(message), MOMENT);
        const numbers = conversation.entries.window(0, 1_000).map(({ n }) => n);
        expect(numbers).toEqual(numbers.map((_, index) => index));
        JSON.stringify(conversation.summary());
        conversation.entries.clear();
      }),
      { numRuns: 200 },
    );
  });
});
