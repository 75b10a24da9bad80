import { describe, expect, it } from 'vitest';
import { decodePermission } from '../../src/callbacks/permission-codec.ts';
import { recordings } from '../messages/recordings.ts';
import { questionRequest, writeRequest } from './permission-dispatcher.ts';
import { askedRequests } from './sent-answers.ts';

describe('a decoded permission request', () => {
  it('[P-1] has every field of the CLI under the names of the SDK, and the raw request', () => {
    const raw = {
      ...writeRequest,
      blocked_path: '/home/user/out.txt',
      decision_reason: 'Path is outside allowed working directories',
      decision_reason_type: 'workingDir',
      agent_id: 'a1',
      title: 'Write a file',
      mcp_server: { name: 'files', source: 'sdk' },
      requires_user_interaction: true,
      brand_new: 1,
    };
    expect(decodePermission('ask-1', raw)).toMatchObject({ request: { suggestions: [] } });
    expect(decodePermission('ask-1', raw, { allowPermissionUpdates: true })).toEqual({
      ok: true,
      request: {
        id: 'ask-1',
        kind: 'tool',
        toolName: 'Write',
        input: writeRequest.input,
        toolUseId: 'toolu_1',
        suggestions: writeRequest.permission_suggestions,
        blockedPath: '/home/user/out.txt',
        decisionReason: 'Path is outside allowed working directories',
        decisionReasonType: 'workingDir',
        agentId: 'a1',
        title: 'Write a file',
        displayName: 'Write',
        description: 'out.txt',
        mcpServer: { name: 'files', source: 'sdk' },
        requiresUserInteraction: true,
        raw,
      },
    });
  });

  it('[P-1] requires only a tool and an input', () => {
    const raw = { tool_name: 'Odd', input: {}, title: 7, permission_suggestions: 'none' };
    expect(decodePermission('x', raw)).toEqual({
      ok: true,
      request: { id: 'x', kind: 'tool', toolName: 'Odd', input: {}, suggestions: [], raw },
    });
  });

  it('[P-6] has the kind tool, question or plan', () => {
    expect(decodePermission('x', writeRequest)).toMatchObject({ request: { kind: 'tool' } });
    expect(decodePermission('x', questionRequest)).toMatchObject({ request: { kind: 'question' } });
    const [plan] = askedRequests('D-plan-mode-exitplan.325', 'can_use_tool');
    expect(decodePermission('x', plan)).toMatchObject({ request: { kind: 'plan', toolName: 'ExitPlanMode' } });
  });

  it('[P-1, P-7] exists for every recorded request and is plain JSON', () => {
    const recorded = recordings.flatMap((name) => askedRequests(name, 'can_use_tool'));
    expect(recorded.length).toBeGreaterThan(4);
    for (const raw of recorded) {
      const decoded = decodePermission('x', raw);
      expect(decoded).toMatchObject({ ok: true, request: { toolName: raw.tool_name, toolUseId: raw.tool_use_id } });
      expect(JSON.parse(JSON.stringify(decoded))).toEqual(decoded);
    }
  });

  it.each([
    undefined,
    null,
    'x',
    [],
    {},
    { tool_name: 'Bash' },
    { tool_name: 7, input: {} },
    { tool_name: 'Bash', input: [] },
  ])('[P-3] does not exist for the malformed request %j', (raw) => {
    expect(decodePermission('x', raw)).toEqual({ ok: false, problem: expect.stringMatching(/./) });
  });
});
