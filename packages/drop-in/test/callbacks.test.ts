import { describe, expect, it } from 'vitest';
import type { CanUseTool, HookCallback, Options } from '../src/sdk.ts';
import { openInput, type Stage, stage } from './support/fake-process.ts';

const REQUEST = { tool_name: 'Bash', input: { command: 'ls' }, tool_use_id: 'toolu_1' };

async function open(options: Options): Promise<Stage> {
  const opened = stage(openInput('One.').stream, options);
  await opened.query.initializationResult();
  return opened;
}

describe('canUseTool', () => {
  it('[U-3] receives the name, the input and the fields of the request under their official names', async () => {
    const calls: Parameters<CanUseTool>[] = [];
    const { cli } = await open({
      canUseTool: async (...call) => {
        calls.push(call);
        return { behavior: 'allow', updatedInput: call[1], decisionClassification: 'user_temporary' };
      },
    });
    cli.ask('p1', 'can_use_tool', {
      ...REQUEST,
      permission_suggestions: [{ type: 'setMode' }],
      agent_id: 'a1',
      blocked_path: '/x',
      decision_reason: 'why',
      mcp_server: { name: 'boats', source: 'sdk' },
      matched_ask_rule: { source: 'user', tool_name: 'Bash', rule_content: 'ls' },
      brand_new: 1,
    });
    const answer = { behavior: 'allow', updatedInput: { command: 'ls' }, decisionClassification: 'user_temporary' };
    expect((await cli.answered('p1')).response).toEqual({ ...answer, toolUseID: 'toolu_1' });
    expect(calls).toEqual([
      [
        'Bash',
        { command: 'ls' },
        {
          signal: expect.any(AbortSignal),
          toolUseID: 'toolu_1',
          requestId: 'p1',
          suggestions: [{ type: 'setMode' }],
          agentID: 'a1',
          blockedPath: '/x',
          decisionReason: 'why',
          mcpServer: { name: 'boats', source: 'sdk' },
          matchedAskRule: { source: 'user', toolName: 'Bash', ruleContent: 'ls' },
          brandNew: 1,
        },
      ],
    ]);
  });

  it('[U-3] has its output passed on completely, and an exception as an error', async () => {
    const answers: unknown[] = [{ behavior: 'deny' }, undefined, { behavior: 'perhaps', mine: [1] }];
    // An untyped program may return anything.
    const canUseTool = (async () => {
      if (answers.length === 0) throw new Error('the policy broke');
      return answers.shift();
    }) as unknown as CanUseTool;
    const { cli } = await open({ canUseTool });
    const seen: unknown[] = [];
    for (const id of ['p1', 'p2', 'p3', 'p4']) {
      cli.ask(id, 'can_use_tool', REQUEST);
      const { subtype, response, error } = await cli.answered(id);
      seen.push([subtype, response ?? error]);
    }
    expect(seen).toEqual([
      ['success', { behavior: 'deny', toolUseID: 'toolu_1' }],
      ['success', { toolUseID: 'toolu_1' }],
      ['success', { behavior: 'perhaps', mine: [1], toolUseID: 'toolu_1' }],
      ['error', 'the policy broke'],
    ]);
  });

  it('[U-3] leaves the answer to others by returning null', async () => {
    const { cli } = await open({ canUseTool: async () => null });
    cli.ask('p1', 'can_use_tool', REQUEST);
    cli.ask('e1', 'elicitation', {});
    await cli.answered('e1');
    expect(cli.frames.some((frame) => frame.response?.request_id === 'p1')).toBe(false);
  });
});

describe('a hook', () => {
  it('[U-3] receives the input, the id of the tool use and a signal, and its output is passed on unchanged', async () => {
    const calls: Parameters<HookCallback>[] = [];
    const output = { decision: 'block' as const, reason: 'No.', unknownHere: { kept: true } };
    const hook: HookCallback = async (...call) => {
      calls.push(call);
      return output;
    };
    const { cli } = await open({ hooks: { PreToolUse: [{ hooks: [hook] }] } });
    const input = { hook_event_name: 'PreToolUse', tool_name: 'Bash' };
    cli.ask('h1', 'hook_callback', { callback_id: 'hook_0', input, tool_use_id: 'toolu_1' });
    expect((await cli.answered('h1')).response).toEqual(output);
    cli.ask('h2', 'hook_callback', { callback_id: 'hook_0', input });
    await cli.answered('h2');
    expect(calls).toEqual([
      [input, 'toolu_1', { signal: expect.any(AbortSignal) }],
      [input, undefined, { signal: expect.any(AbortSignal) }],
    ]);
  });

  it('[U-3] is aborted when the CLI withdraws the request', async () => {
    let aborted: () => void = () => {};
    const withdrawn = new Promise<void>((resolve) => {
      aborted = resolve;
    });
    const hook: HookCallback = (_input, _id, { signal }) => {
      signal.addEventListener('abort', aborted);
      return new Promise(() => {});
    };
    const { cli } = await open({ hooks: { Stop: [{ hooks: [hook] }] } });
    cli.ask('h1', 'hook_callback', { callback_id: 'hook_0', input: {} });
    cli.say({ type: 'control_cancel_request', request_id: 'h1' });
    await withdrawn;
  });

  it('[U-3] is answered with an error if it is not registered', async () => {
    const { cli } = await open({ hooks: { Stop: [{ hooks: [async () => ({})] }] } });
    cli.ask('h1', 'hook_callback', { callback_id: 'hook_7', input: {} });
    expect(await cli.answered('h1')).toMatchObject({ subtype: 'error' });
  });

  it('[U-3] with onFailure block holds the prompt until the CLI has answered the handshake', async () => {
    const { cli } = stage('Hello.', { hooks: { PreToolUse: [{ hooks: [async () => ({})], onFailure: 'block' }] } });
    await cli.prompt();
    expect(cli.frames.map(({ type }) => type)).toEqual(['control_request', 'user']);
  });
});

describe('a question to the user', () => {
  it('[U-3] by an MCP server is declined without a callback, and answered with one', async () => {
    const { cli } = await open({});
    cli.ask('e1', 'elicitation', { mcp_server_name: 'boats', message: 'Her name?' });
    expect((await cli.answered('e1')).response).toEqual({ action: 'decline' });

    const asked: unknown[] = [];
    const other = await open({
      onElicitation: async (request, { requestId }) => {
        asked.push([request, requestId]);
        return { action: 'accept', content: { name: 'Ariel' } };
      },
    });
    const request = {
      mcp_server_name: 'boats',
      message: 'Her name?',
      mode: 'form',
      requested_schema: { type: 'object' },
    };
    other.cli.ask('e2', 'elicitation', request);
    expect((await other.cli.answered('e2')).response).toEqual({ action: 'accept', content: { name: 'Ariel' } });
    const seen = { serverName: 'boats', message: 'Her name?', mode: 'form', requestedSchema: { type: 'object' } };
    expect(asked).toEqual([[seen, 'e2']]);
  });

  it('[U-3] in a dialog reaches onUserDialog', async () => {
    const { cli } = await open({
      supportedDialogKinds: ['confirm'],
      onUserDialog: async ({ dialogKind, payload }) => ({ behavior: 'completed', result: [dialogKind, payload] }),
    });
    cli.ask('d1', 'request_user_dialog', { dialog_kind: 'confirm', payload: { a: 1 } });
    expect((await cli.answered('d1')).response).toEqual({ behavior: 'completed', result: ['confirm', { a: 1 }] });
  });

  it('[U-3] of an unknown kind is refused', async () => {
    const { cli } = await open({ canUseTool: async () => null });
    cli.ask('x1', 'from_the_future');
    expect(await cli.answered('x1')).toMatchObject({ subtype: 'error', error_code: 'unsupported_request' });
  });
});
