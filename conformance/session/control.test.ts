import { text, toolUse } from '@coxswain/testkit';
import type { Session } from 'coxswain';
import { CheckpointingNotEnabledError, ControlRequestError } from 'coxswain/errors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mcpServer } from '../harness/mcp-server.ts';
import { pinnedVersion, testedVersions } from '../harness/real-cli.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { openStage, type Stage } from './stage.ts';

describe.concurrent.each(testedVersions)('control operations of %s', (version) => {
  let stage: Stage;
  let session: Session;

  beforeAll(async () => {
    const script = [
      text('first answer'),
      toolUse('Bash', { command: 'sleep 300', run_in_background: true }),
      text('launched'),
    ];
    stage = await openStage(script, { version });
  });
  afterAll(() => stage?.[Symbol.asyncDispose]());

  it.sequential('[X-1, X-2, X-3, S-15] are sent when the session is ready, and rejected with a reason', async () => {
    session = stage.open({ model: 'claude-sonnet-4-5', mcpServers: { early: mcpServer }, allowedTools: ['Bash'] });
    expect(session.state).toBe('starting');
    const turn = session.send('first prompt');
    const asked = [session.contextUsage(), session.getSettings(), session.request('get_binary_version')] as const;
    const planned = session.setPermissionMode('plan');
    const [usage, settings, binary] = await Promise.all(asked);
    expect(usage).toMatchObject({ totalTokens: expect.any(Number), maxTokens: expect.any(Number) });
    expect(usage.categories).not.toHaveLength(0);
    expect(settings.applied?.model).toContain('claude-sonnet-4-5');
    expect(binary).toMatchObject({ version: expect.stringContaining(version) });
    expect(await planned).toBeUndefined();
    const { messages: items } = await turn.collect();
    expect(items.find((message) => message.type === 'system' && message.subtype === 'init')?.permissionMode).toBe(
      'plan',
    );

    await session.applySettings({ env: { GREETING: 'hello' } });
    expect((await session.getSettings()).effective).toMatchObject({ env: { GREETING: 'hello' } });

    const refused = await session.request('no_such_request', { a: 1 }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ControlRequestError);
    expect(refused).toMatchObject({
      code: 'control-request',
      kind: 'no_such_request',
      message: expect.stringContaining('Unsupported control request subtype: no_such_request'),
      errorCode: version === pinnedVersion ? 'unsupported_request' : undefined,
    });
    await expect(session.rewindFiles(turn.id)).rejects.toBeInstanceOf(CheckpointingNotEnabledError);
    await expect(session.rewindFiles(turn.id, { dryRun: true })).rejects.toBeInstanceOf(CheckpointingNotEnabledError);
  });

  it.sequential('[X-1] list, add, disable and remove MCP servers, and stop a background task', async () => {
    await session.setPermissionMode('default');
    const statusOf = async (name: string): Promise<string | undefined> =>
      (await session.mcpStatus()).find((server) => server.name === name)?.status;
    const becomes = (name: string, status: string | undefined): Promise<unknown> =>
      waitUntil(async () => (await statusOf(name)) === status, { what: `${name} ${status}`, timeoutMs: 10_000 });
    await becomes('early', 'connected');

    expect(await session.setMcpServers({ late: mcpServer })).toEqual({ added: ['late'], removed: [], errors: {} });
    await becomes('late', 'connected');
    await session.toggleMcpServer('late', false);
    await becomes('late', 'disabled');
    await session.toggleMcpServer('late', true);
    await becomes('late', 'connected');
    await session.reconnectMcpServer('early');
    await becomes('early', 'connected');
    await expect(session.reconnectMcpServer('never')).rejects.toThrow('Server not found: never');
    expect(await session.setMcpServers({})).toMatchObject({ removed: ['late'] });
    await becomes('late', undefined);

    const events = session.events();
    expect(await session.send('second prompt').text()).toBe('launched');
    await stage.runs('sleep 300');
    for await (const event of events) {
      if (!('type' in event) || event.type !== 'task-opened') continue;
      await session.stopTask(event.task);
      break;
    }
    await session.idle();
    const ended = (): boolean => !stage.processes().some(({ command }) => command === 'sleep 300');
    await waitUntil(ended, { what: 'the end of the task' });
  });
});
