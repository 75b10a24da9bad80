import { describe, expect, it } from 'vitest';
import { streamActions, wholeMessage } from '../../src/fake-api/message-stream.ts';
import {
  cutMidStream,
  delay,
  type ReplyStep,
  redactedThinking,
  stopReason,
  streamError,
  text,
  thinking,
  toolUse,
  usage,
} from '../../src/fake-api/reply.ts';

describe('streamActions', () => {
  it('[K-2] has the event order of the real API', () => {
    expect(types([thinking('hm'), text('hi'), toolUse('Bash', { command: 'ls' })])).toEqual([
      'message_start',
      'ping',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });

  it('[K-2] sends deltas that add up to the whole value, without splitting a character', () => {
    const value = 'smile 😀 and again 😀😀😀';
    for (const chunkSize of [1, 2, 3, 7]) {
      const pieces = deltas([text(value, { chunkSize })]).map((delta) => String(delta.text));
      expect(pieces.join('')).toBe(value);
      expect(pieces.filter((piece) => /\p{Surrogate}/u.test(piece))).toEqual([]);
      expect(pieces.length).toBeGreaterThan(3);
    }
    const input = { command: 'echo "a"', nested: { list: [1, 2, 3] }, long: 'x'.repeat(400) };
    const json = deltas([toolUse('Bash', input)]).map((delta) => delta.partial_json);
    expect(json.length).toBeGreaterThan(1);
    expect(JSON.parse(json.join(''))).toEqual(input);
  });

  it('[K-2] splits a huge text into about twenty deltas', () => {
    expect(deltas([text('x'.repeat(3_000_000))])).toHaveLength(20);
  });

  it('[K-2] sends hidden thinking whole and without deltas', () => {
    const start = events([redactedThinking('abc')]).find((event) => event.type === 'content_block_start');
    expect(start?.content_block).toEqual({ type: 'redacted_thinking', data: 'abc' });
    expect(deltas([redactedThinking('abc')])).toEqual([]);
  });

  it('[K-2] derives the stop reason by default', () => {
    expect(stopOf([text('x')])).toBe('end_turn');
    expect(stopOf([text('x'), toolUse('Bash', {})])).toBe('tool_use');
    expect(stopOf([text('x'), stopReason('max_tokens')])).toBe('max_tokens');
  });

  it('[K-2] puts the token counts in the fields of the API', () => {
    const all = events([text('x'), usage({ input_tokens: 7, output_tokens: 9, cache_read_input_tokens: 3 })]);
    expect(all[0]?.message).toMatchObject({ usage: { input_tokens: 7, cache_read_input_tokens: 3 } });
    expect(all.find((event) => event.type === 'message_delta')?.usage).toEqual({ output_tokens: 9 });
  });

  it('[K-2] leaves a block unfinished before a cut and before an error event', () => {
    const cut = [...streamActions([text('half'), cutMidStream(), text('never')], 'm', ids())];
    expect(cut.at(-1)).toEqual({ type: 'cut' });
    expect(types([text('half'), cutMidStream()])).not.toContain('content_block_stop');
    const failed = events([text('whole'), text('half'), streamError('api_error', 'bang')]);
    expect(failed.at(-1)).toEqual({ type: 'error', error: { type: 'api_error', message: 'bang' } });
    expect(failed.filter((event) => event.type === 'content_block_stop')).toHaveLength(1);
  });

  it('[K-2] pauses between blocks and between deltas', () => {
    const pauses = (steps: readonly ReplyStep[]): unknown[] =>
      [...streamActions(steps, 'm', ids())].filter((action) => action.type === 'pause');
    expect(pauses([text('a'), delay(50), text('b')])).toEqual([{ type: 'pause', ms: 50 }]);
    expect(pauses([text('abcdef', { chunkSize: 2, everyMs: 10 })])).toHaveLength(3);
  });
});

describe('wholeMessage', () => {
  it('[K-2] returns the same message as one object', () => {
    const steps = [thinking('hm'), text('hi'), toolUse('Bash', { command: 'ls' }), usage({ output_tokens: 4 })];
    expect(wholeMessage(steps, 'claude-x', ids())).toMatchObject({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-x',
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'hi' },
        { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } },
      ],
      stop_reason: 'tool_use',
      usage: { output_tokens: 4 },
    });
  });
});

type Event = Record<string, unknown>;

function events(steps: readonly ReplyStep[]): Event[] {
  return [...streamActions(steps, 'm', ids())].flatMap((action) => (action.type === 'event' ? [action.event] : []));
}

function types(steps: readonly ReplyStep[]): unknown[] {
  return events(steps).map((event) => event.type);
}

function deltas(steps: readonly ReplyStep[]): Event[] {
  return events(steps).flatMap((event) => (event.type === 'content_block_delta' ? [{ ...Object(event.delta) }] : []));
}

function stopOf(steps: readonly ReplyStep[]): unknown {
  return Object(events(steps).find((event) => event.type === 'message_delta')?.delta).stop_reason;
}

function ids() {
  return { message: 'msg_1', toolUse: () => 'toolu_1' };
}
