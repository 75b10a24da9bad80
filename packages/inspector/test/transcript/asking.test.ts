import { assistantMessage } from '@coxswain/testkit';
import type { Message, PermissionRequest } from 'coxswain';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Hub } from '../../src/conversations/hub.ts';

describe('a tool call that asks', () => {
  it('[I-1] is shown as asking until it is answered, even if the request arrives before the transcript is read', () => {
    const hub = new Hub([], { redact: (text) => text, readOnly: false, onAudit: undefined });
    onTestFinished(() => hub.close());
    const record = hub.add({ id: 'fleet', kind: 'fleet', label: 'fleet' }, 'f-1', {});
    const input = { command: 'row' };
    const request = { id: 'r', kind: 'tool', toolName: 'Bash', input, toolUseId: 't', suggestions: [], raw: {} };
    record.ask(request as unknown as PermissionRequest, 1, null);
    const use = { type: 'tool_use', id: 't', name: 'Bash', input };
    const said = assistantMessage('');
    record.message({ ...said, message: { ...said.message, content: [use] } } as typeof said, { at: 1, turn: null });
    expect(record.entry(0)).toMatchObject({ kind: 'tool', state: 'asking' });
    record.answered('r', 'allow', 2);
    expect(record.entry(0)).toMatchObject({ state: 'running' });
  });

  it('[I-1] stays open after its turn if it belongs to a background subagent', () => {
    const hub = new Hub([], { redact: (text) => text, readOnly: false, onAudit: undefined });
    onTestFinished(() => hub.close());
    const record = hub.add({ id: 'process', kind: 'process', label: 'process' }, 'p-1', {});
    const moment = { at: 1, turn: 't' };
    const uses = (parent: string | null, id: string, name: string): void => {
      const said = assistantMessage('');
      const content = [{ type: 'tool_use', id, name, input: {} }];
      const message = { ...said, parent_tool_use_id: parent, message: { ...said.message, content } };
      record.message(message as typeof said, moment);
    };
    const returns = (id: string): void => {
      const content = [{ type: 'tool_result', tool_use_id: id, content: 'x' }];
      const message = { type: 'user', parent_tool_use_id: null, message: { role: 'user', content } };
      record.message(message as unknown as Message, moment);
    };
    const states = (): unknown[] => [0, 1, 2, 3].map((n) => (record.entry(n) as { state?: string } | undefined)?.state);
    uses(null, 'away', 'Task');
    returns('away');
    uses('away', 'inner', 'Bash');
    uses(null, 'here', 'Task');
    uses('here', 'cut off', 'Bash');
    const cost = { costUsd: 0, usage: NO_USAGE, byModel: {}, complete: true };
    record.turnEnded('t', { outcome: 'completed', cost, at: 2, message: '' });
    expect(states()).toEqual(['ok', 'running', 'lost', 'lost']);
    returns('inner');
    expect(states()[1]).toBe('ok');
  });
});

const NO_USAGE = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 };
