import type { Message, PermissionRequest } from 'coxswain';
import { expect, it, onTestFinished } from 'vitest';
import { Hub } from '../../src/conversations/hub.ts';

it('[I-2] a request of a subagent names its task, not its id', () => {
  const hub = new Hub([], { redact: (text) => text, readOnly: false, onAudit: undefined });
  onTestFinished(() => hub.close());
  const record = hub.add({ id: 'test', kind: 'process', label: 'test' }, 'p-1', {});
  // Only the fields that the record reads.
  const started = { type: 'system', subtype: 'task_started', task_id: 'a26', description: 'Wax the hull' };
  record.message(started as unknown as Message, { at: 1, turn: null });
  record.tasks.open('a26', 1);
  const request = { kind: 'tool', toolName: 'Bash', input: { command: 'wax' }, suggestions: [] };
  for (const [id, agentId] of [['1', 'a26'], ['2', 'a99'], ['3']] as const) {
    record.ask({ ...request, id, agentId } as unknown as PermissionRequest, 2, null);
  }
  expect(hub.approvals.list().map(({ agent }) => agent)).toEqual(['Wax the hull', 'a subagent', null]);
});
