import { describe, expect, it } from 'vitest';
import {
  fieldsOf,
  interruptReceipt,
  mcpServerStatuses,
  mcpServersChange,
  rewindReport,
  wholeServers,
} from '../../src/control/answers.ts';

const redact = (text: string): string => text.replaceAll('the-secret', '[redacted]');

describe('parsing the answer to a control request', () => {
  it.each<[string, (body: unknown) => unknown, unknown, unknown]>([
    ['interrupt on 2.1.325', interruptReceipt, { still_queued: ['a', 'b'] }, { stillQueued: ['a', 'b'] }],
    ['interrupt on 2.1.197', interruptReceipt, undefined, undefined],
    [
      'interrupt with entries other than text',
      interruptReceipt,
      { still_queued: ['a', 7, null] },
      { stillQueued: ['a'] },
    ],
    [
      'a dry run of rewind_files',
      (body) => rewindReport(body, redact),
      { canRewind: true, filesChanged: ['/f'], insertions: 1, deletions: 2 },
      { canRewind: true, filesChanged: ['/f'], insertions: 1, deletions: 2 },
    ],
    ['rewind_files on 2.1.197', (body) => rewindReport(body, redact), { canRewind: true }, { canRewind: true }],
    [
      'rewind_files that is not possible',
      (body) => rewindReport(body, redact),
      { canRewind: false, error: 'File rewinding is not enabled.' },
      { canRewind: false, error: 'File rewinding is not enabled.' },
    ],
    ['rewind_files without a body', (body) => rewindReport(body, redact), undefined, { canRewind: false }],
    [
      'mcp_status, which passes on unknown fields and drops invalid servers',
      (body) => mcpServerStatuses(body, redact),
      { mcpServers: [{ name: 'a', status: 'connected', scope: 'user' }, { name: 'b' }, null, 3] },
      [{ name: 'a', status: 'connected', scope: 'user' }],
    ],
    ['mcp_status without a body', (body) => mcpServerStatuses(body, redact), undefined, []],
    [
      'mcp_set_servers',
      (body) => mcpServersChange(body, redact),
      { added: ['a'], removed: [], errors: { b: 'no such command' } },
      { added: ['a'], removed: [], errors: { b: 'no such command' } },
    ],
    [
      'mcp_set_servers without a body',
      (body) => mcpServersChange(body, redact),
      undefined,
      { added: [], removed: [], errors: {} },
    ],
    [
      'mcp_set_servers with errors other than text',
      (body) => mcpServersChange(body, redact),
      { errors: { a: { message: 'x' }, b: { toString: 1 }, c: null } },
      { added: [], removed: [], errors: { a: '{"message":"x"}', b: '{"toString":1}', c: 'null' } },
    ],
    ['get_settings', fieldsOf, { applied: { model: 'm' } }, { applied: { model: 'm' } }],
    ['get_settings without a body', fieldsOf, undefined, {}],
    ['get_context_usage', fieldsOf, { totalTokens: 5, gridRows: [] }, { totalTokens: 5, gridRows: [] }],
    ['a list instead of an object', fieldsOf, [1], {}],
  ])('[X-1, W-6] %s', (_, read, body, expected) => {
    expect(read(body)).toEqual(expected);
  });

  it('[C-10] redacts secrets in reported errors and leaves everything else unchanged', () => {
    const config = { headers: { A: 'the-secret' } };
    const status = { name: 'a', status: 'failed', error: 'no access with the-secret', config };
    expect(mcpServerStatuses({ mcpServers: [status] }, redact)).toEqual([
      { ...status, error: 'no access with [redacted]' },
    ]);
    const change = { added: ['the-secret'], removed: [], errors: { a: 'not with the-secret' } };
    expect(mcpServersChange(change, redact)).toEqual({ ...change, errors: { a: 'not with [redacted]' } });
    expect(rewindReport({ canRewind: false, error: 'the-secret' }, redact)).toEqual({
      canRewind: false,
      error: '[redacted]',
    });
  });
});

describe('wholeServers', () => {
  it('[X-1, T-6] adds empty args to a stdio server, removes required, and leaves other servers unchanged', () => {
    expect(
      wholeServers({
        a: { command: 'x', required: true },
        b: { command: 'y', args: ['z'] },
        c: { type: 'http', url: 'u' },
      }),
    ).toEqual({
      a: { command: 'x', args: [] },
      b: { command: 'y', args: ['z'] },
      c: { type: 'http', url: 'u' },
    });
  });
});
