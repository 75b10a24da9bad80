import { describe, expect, it } from 'vitest';
import type { Span } from '../../src/api.ts';
import { Spans } from '../../src/conversations/spans.ts';
import { Timeline } from '../../src/conversations/timeline.ts';

const usage = { input_tokens: 1_000, output_tokens: 200 };
const MODEL = 'claude-sonnet-4-5-20250929';

/** A turn from 0 ms whose messages are reported at these times. */
function turnOf(...messages: readonly (readonly [at: number, message: object, parent?: string])[]): {
  readonly timeline: Timeline;
  readonly spans: () => readonly Span[];
} {
  const timeline = new Timeline(() => {});
  const spans = new Spans(timeline);
  timeline.begin('t', 'Row', 0, 0);
  spans.turnStarted('t', 0);
  for (const [at, message, parent = null] of messages)
    spans.note({ ...message }, { at, turn: 't', parent, entry: 1, redact: (text) => text });
  return { timeline, spans: () => timeline.get('t')?.spans ?? [] };
}

const answer = (id: string, ...content: readonly object[]): object => ({
  type: 'assistant',
  message: { id, model: MODEL, content, usage },
});
const call = (id: string, name: string, input: object): object => ({ type: 'tool_use', id, name, input });
const result = (id: string): object => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: id }] },
});
const short = ({ kind, startedAt, endedAt }: Span): string => `${kind} ${startedAt}-${endedAt}`;

describe('spans of the model', () => {
  it('[I-14] a call begins when the agent could go on, and ends with its last block; thinking is a part of it', () => {
    const { spans } = turnOf(
      [300, answer('m1', { type: 'thinking', thinking: '…' })],
      [500, answer('m1', call('b', 'Bash', { command: 'ls' }))],
      [900, result('b')],
      [1_400, answer('m2', { type: 'text', text: 'Done.' })],
    );
    expect(spans().map(short)).toEqual(['model 0-500', 'thinking 0-300', 'tool 500-900', 'model 900-1400']);
    expect(spans()[1]?.parent).toBe('model m1');
    expect(spans()[2]?.argument).toBe('ls');
  });

  it('[I-14] the calls of a subagent are below it, and begin when it was started', () => {
    const { spans } = turnOf(
      [100, answer('m1', call('a', 'Agent', { description: 'Look', prompt: '…' }))],
      [700, answer('s1', { type: 'text', text: 'Found.' }), 'a'],
      [800, result('a')],
    );
    const [, agent, inner] = spans();
    expect([agent, inner].map((span) => span && short(span))).toEqual(['subagent 100-800', 'model 100-700']);
    expect(inner?.parent).toBe('subagent a');
  });

  it('[I-14] a streamed call is open until it ends, and has the final usage', () => {
    const start = { type: 'message_start', message: { id: 'm1', model: MODEL, usage: { ...usage, output_tokens: 1 } } };
    const first = turnOf([50, { type: 'stream_event', event: start }]);
    expect(first.spans().map(short)).toEqual(['model 0-null']);
    const { spans } = turnOf(
      [50, { type: 'stream_event', event: start }],
      [300, answer('m1', { type: 'text', text: 'Done.' })],
      [310, { type: 'stream_event', event: { type: 'message_delta', usage: { output_tokens: 900 } } }],
      [320, { type: 'stream_event', event: { type: 'message_stop' } }],
    );
    expect(spans().map(short)).toEqual(['model 0-320']);
    expect(spans()[0]?.cost?.tokens.output).toBe(900);
  });

  it('[I-14] the calls of a turn cost what the turn cost, in proportion to list prices', () => {
    const { timeline, spans } = turnOf([100, answer('m1')], [200, answer('m2')]);
    const cost = {
      usd: 0.5,
      estimated: 0,
      complete: true,
      tokens: { input: 0, output: 0, cacheRead: 0, cacheCreation: 0 },
    };
    timeline.price('t', { [MODEL]: cost });
    expect(spans().map((span) => span.cost?.usd)).toEqual([0.25, 0.25]);
    expect(spans().map((span) => span.cost?.estimated)).toEqual([0, 0]);
  });
});
