import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text, toolUse } from '@coxswain/testkit';
import type { Session } from 'coxswain';
import { CheckpointingNotEnabledError, ControlRequestError, UnsupportedRequestError } from 'coxswain/errors';
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

describe.concurrent.each(testedVersions)('listings of a session of %s', (version) => {
  it('[X-1, C-5] are complete, and refused by a release that lacks them', async () => {
    const answers = [
      toolUse('Bash', { command: 'echo first; sleep 60', run_in_background: true }),
      text('started'),
      toolUse('Bash', { command: 'rm oars' }),
      text('not allowed'),
    ];
    await using stage = await openStage(answers, { version });
    const { project } = stage.home;
    mkdirSync(join(project, '.claude/output-styles'), { recursive: true });
    writeFileSync(join(project, '.claude/output-styles/brief.md'), '---\nname: brief\n---\nBe brief.\n');
    const session = await stage.start({
      mcpServers: { plain: mcpServer },
      allowedTools: ['Bash', 'mcp__plain'],
      settings: {
        permissions: { deny: ['Bash(rm *)'] },
        hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] },
      },
    });
    const { messages } = await session.send('Start it.').collect();
    const task = messages.find((message) => message.type === 'system' && message.subtype === 'task_started');
    const id = task && 'task_id' in task ? String(task.task_id) : '';
    const outcomeOfCall = (call: Promise<unknown>): Promise<unknown> =>
      call.catch((error: unknown) => (error instanceof UnsupportedRequestError ? 'refused' : error));

    expect(session.account).toMatchObject({ apiProvider: 'firstParty' });
    expect((await session.usage()).session?.total_cost_usd).toBeGreaterThan(0);
    expect((await session.reloadPlugins()).commands.length).toBeGreaterThan(0);
    expect(Array.isArray(await session.reloadSkills())).toBe(true);
    const recent = version === pinnedVersion;
    expect(await outcomeOfCall(session.permissionRules())).toEqual(
      recent ? expect.arrayContaining([expect.objectContaining({ rule: 'Bash(rm *)', behavior: 'deny' })]) : 'refused',
    );
    expect(await outcomeOfCall(session.configuredHooks())).toEqual(
      recent ? [expect.objectContaining({ event: 'Stop', type: 'command' })] : 'refused',
    );
    expect(await outcomeOfCall(session.reloadOutputStyles())).toEqual(
      recent ? expect.arrayContaining(['brief']) : 'refused',
    );
    expect(await outcomeOfCall(session.readMcpResource('plain', 'ui://example/page'))).toEqual(
      recent ? [expect.objectContaining({ text: '<p>boats</p>' })] : 'refused',
    );
    expect(await outcomeOfCall(session.taskOutput(id))).toEqual(
      recent ? { output: 'first\n', totalBytes: 6, truncated: false } : 'refused',
    );
    await session.stopTask(id);
    // No reload has dropped the rules of the options.
    const { messages: later } = await session.send('Remove the oars.').collect();
    expect(JSON.stringify(later.filter(({ type }) => type === 'user'))).toContain('has been denied');
  });
});
