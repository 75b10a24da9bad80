import { describe, expect, it } from 'vitest';
import { Operations } from '../../src/control/operations.ts';

/** Operations on a CLI that gives this answer; notes what was asked. */
function on(body?: unknown): { operations: Operations; asked: unknown[][] } {
  const asked: unknown[][] = [];
  const answering = async (...request: unknown[]): Promise<unknown> => {
    asked.push(request);
    return body;
  };
  const redact = (text: string): string => text.replaceAll('the-secret', '[redacted]');
  return { operations: new Operations(answering, redact), asked };
}

describe('what is asked', () => {
  const TERMS = { timeoutMs: 5_000 };

  it.each<[string, (operations: Operations) => Promise<unknown>, unknown[]]>([
    ['interrupt', (on) => on.interrupt(TERMS), ['interrupt', {}]],
    ['cancelMessage', (on) => on.cancelMessage('u', TERMS), ['cancel_async_message', { message_uuid: 'u' }]],
    ['setModel', (on) => on.setModel('opus', TERMS), ['set_model', { model: 'opus' }]],
    ['setPermissionMode', (on) => on.setPermissionMode('plan', TERMS), ['set_permission_mode', { mode: 'plan' }]],
    [
      'setMaxThinkingTokens',
      (on) => on.setMaxThinkingTokens(0, TERMS),
      ['set_max_thinking_tokens', { max_thinking_tokens: 0 }],
    ],
    [
      'setMaxThinkingTokens to the default',
      (on) => on.setMaxThinkingTokens(null, TERMS),
      ['set_max_thinking_tokens', { max_thinking_tokens: null }],
    ],
    [
      'rewindFiles',
      (on) => on.rewindFiles('u', true, TERMS),
      ['rewind_files', { user_message_id: 'u', dry_run: true }],
    ],
    ['mcpStatus', (on) => on.mcpStatus(TERMS), ['mcp_status', {}]],
    [
      'setMcpServers, with the args that a stdio server needs',
      (on) => on.setMcpServers({ a: { command: 'x' }, b: { command: 'y', args: ['z'] }, c: { url: 'u' } }, TERMS),
      [
        'mcp_set_servers',
        { servers: { a: { command: 'x', args: [] }, b: { command: 'y', args: ['z'] }, c: { url: 'u' } } },
      ],
    ],
    ['reconnectMcpServer', (on) => on.reconnectMcpServer('a', TERMS), ['mcp_reconnect', { serverName: 'a' }]],
    [
      'toggleMcpServer',
      (on) => on.toggleMcpServer('a', false, TERMS),
      ['mcp_toggle', { serverName: 'a', enabled: false }],
    ],
    ['contextUsage', (on) => on.contextUsage(TERMS), ['get_context_usage', {}]],
    ['getSettings', (on) => on.getSettings(TERMS), ['get_settings', {}]],
    ['applySettings', (on) => on.applySettings({ a: 1 }, TERMS), ['apply_flag_settings', { settings: { a: 1 } }]],
    ['stopTask', (on) => on.stopTask('t1', TERMS), ['stop_task', { task_id: 't1' }]],
  ])('[X-1] %s sends its request with the options of the caller', async (_, call, expected) => {
    const { operations, asked } = on();
    await call(operations);
    expect(asked).toEqual([[...expected, TERMS]]);
  });
});

describe('what is read from the answer', () => {
  it.each<[string, unknown, (operations: Operations) => Promise<unknown>, unknown]>([
    ['interrupt on 2.1.325', { still_queued: ['a', 'b'] }, (on) => on.interrupt(), { stillQueued: ['a', 'b'] }],
    ['interrupt on 2.1.197', undefined, (on) => on.interrupt(), undefined],
    ['interrupt, something else', { still_queued: ['a', 7, null] }, (on) => on.interrupt(), { stillQueued: ['a'] }],
    ['set_model on 2.1.325', { model: 'claude-opus-5' }, (on) => on.setModel('opus'), undefined],
    [
      'a dry run',
      { canRewind: true, filesChanged: ['/f'], insertions: 1, deletions: 2 },
      (on) => on.rewindFiles('u', true),
      { canRewind: true, filesChanged: ['/f'], insertions: 1, deletions: 2 },
    ],
    ['a rewind on 2.1.197', { canRewind: true }, (on) => on.rewindFiles('u', false), { canRewind: true }],
    [
      'a rewind that is not possible',
      { canRewind: false, error: 'File rewinding is not enabled.' },
      (on) => on.rewindFiles('u', true),
      { canRewind: false, error: 'File rewinding is not enabled.' },
    ],
    ['a rewind without a word', undefined, (on) => on.rewindFiles('u', true), { canRewind: false }],
    [
      'mcp_status, which passes unknown fields on and drops what is no server',
      { mcpServers: [{ name: 'a', status: 'connected', scope: 'user' }, { name: 'b' }, null, 3] },
      (on) => on.mcpStatus(),
      [{ name: 'a', status: 'connected', scope: 'user' }],
    ],
    ['mcp_status without a word', undefined, (on) => on.mcpStatus(), []],
    [
      'mcp_set_servers',
      { added: ['a'], removed: [], errors: { b: 'no such command' } },
      (on) => on.setMcpServers({}),
      { added: ['a'], removed: [], errors: { b: 'no such command' } },
    ],
    ['mcp_set_servers without a word', undefined, (on) => on.setMcpServers({}), { added: [], removed: [], errors: {} }],
    [
      'mcp_set_servers with errors that are no text',
      { errors: { a: { message: 'x' }, b: { toString: 1 }, c: null } },
      (on) => on.setMcpServers({}),
      { added: [], removed: [], errors: { a: '{"message":"x"}', b: '{"toString":1}', c: 'null' } },
    ],
    ['get_settings', { applied: { model: 'm' } }, (on) => on.getSettings(), { applied: { model: 'm' } }],
    ['get_settings without a word', undefined, (on) => on.getSettings(), {}],
    [
      'get_context_usage',
      { totalTokens: 5, gridRows: [] },
      (on) => on.contextUsage(),
      { totalTokens: 5, gridRows: [] },
    ],
    ['a list where an object should be', [1], (on) => on.contextUsage(), {}],
  ])('[X-1, W-6] %s', async (_, body, call, expected) => {
    expect(await call(on(body).operations)).toEqual(expected);
  });
});

describe('what the CLI says went wrong', () => {
  it('[C-10] is told without secrets; everything else stays as it came', async () => {
    const config = { headers: { A: 'the-secret' } };
    const status = { name: 'a', status: 'failed', error: 'no access with the-secret', config };
    expect(await on({ mcpServers: [status] }).operations.mcpStatus()).toEqual([
      { ...status, error: 'no access with [redacted]' },
    ]);
    const change = { added: ['the-secret'], removed: [], errors: { a: 'not with the-secret' } };
    expect(await on(change).operations.setMcpServers({})).toEqual({ ...change, errors: { a: 'not with [redacted]' } });
    expect(await on({ canRewind: false, error: 'the-secret' }).operations.rewindFiles('x', false)).toEqual({
      canRewind: false,
      error: '[redacted]',
    });
  });
});
