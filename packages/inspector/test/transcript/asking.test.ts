import { assistantMessage } from '@coxswain/testkit';
import type { PermissionRequest } from 'coxswain';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Hub } from '../../src/conversations/hub.ts';

describe('a tool call that asks', () => {
  it('[I-1] asks also if the request is known before the transcript is read, until it is answered', () => {
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
});
