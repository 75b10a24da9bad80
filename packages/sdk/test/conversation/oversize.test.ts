import { describe, expect, it } from 'vitest';
import { readOversize } from '../../src/conversation/frame-receiver.ts';

const head = (text: string): Uint8Array => new TextEncoder().encode(text.slice(0, 4_096));

describe('the start of an oversize line', () => {
  it('[W-3] identifies a request by its id, and its hook', () => {
    const line = `{"type":"control_request","request_id":"u-1","request":{"subtype":"hook_callback","callback_id":"hook_3","input":{"tool_input":"${'x'.repeat(9_000)}`;
    expect(readOversize(head(line))).toEqual({
      type: 'control_request',
      request_id: 'u-1',
      request: { subtype: 'hook_callback', callback_id: 'hook_3' },
    });
  });

  it.each([
    ['{"type":"result","subtype":"success","result":"xxx'],
    ['{"duration_api_ms":51,"stop_reason":null,"result":"xxx'],
    ['{"is_error":false,"total_cost_usd":0.1,"type":"result","result":"xxx'],
  ])('[W-3] identifies a result with any order of fields: %s', (line) => {
    expect(readOversize(head(line))).toBe('result');
  });

  it('[W-3] does not identify a message that only contains a similar text as a result', () => {
    const line = '{"type":"assistant","message":{"content":[{"type":"tool_use","input":{"type":"result","x":"';
    expect(readOversize(head(line))).toBeUndefined();
  });

  it('[W-3, G-4] identifies entries for the session store, whatever they contain', () => {
    const path = '/home/user/.claude/projects/-p/5c0bb147-bfa3-4d04-995f-acd9dbb180ac.jsonl';
    const entry =
      '{"type":"result","total_cost_usd":1,"request_id":"a","subtype":"b","x":"control_request","text":"xxx';
    const line = `{"type":"transcript_mirror","filePath":"${path}","entries":[${entry}`;
    expect(readOversize(head(line))).toEqual({ type: 'transcript_mirror', filePath: path });
    const elsewhere = line.replace(path, 'C:\\\\Users\\\\user\\\\a.jsonl');
    expect(readOversize(head(elsewhere))).toEqual({ type: 'transcript_mirror', filePath: undefined });
  });

  it.each([
    [
      'a message with entries in it',
      JSON.stringify({ type: 'assistant', input: { type: 'transcript_mirror', filePath: '/a', entries: [] } }),
    ],
    [
      'a message that quotes a request',
      JSON.stringify({ type: 'assistant', text: '{"type":"control_request","request_id":"a","subtype":"b"}' }),
    ],
    [
      'a message that quotes a result',
      JSON.stringify({ type: 'assistant', text: '{"type":"result","total_cost_usd":1}' }),
    ],
    ['an answer', '{"type":"control_response","response":{"subtype":"success","request_id":"req_1","response":"xxx'],
    ['a request without its id', '{"type":"control_request","request":{"subtype":"hook_callback","input":"xxx'],
    ['nothing', ''],
  ])('[W-3] needs no answer: %s', (_, line) => {
    expect(readOversize(head(line))).toBeUndefined();
  });

  it('[W-3] may end within a character', () => {
    expect(readOversize(Uint8Array.of(0x7b, 0x22, 0xe2, 0x82))).toBeUndefined();
  });
});
