import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text, toolUse } from '@coxswain/testkit';
import { type AgentOptions, allow, answerQuestions, deny, type PermissionRequest } from 'coxswain';
import { describe, expect, it, vi } from 'vitest';
import { mcpServer } from '../harness/mcp-server.ts';
import { QUESTION } from '../harness/question.ts';
import { realCli } from '../harness/real-cli.ts';
import { historyOf } from '../parked/history.ts';
import { CALL, calls, command, runsCommand } from '../parked/model.ts';
import { parkedVersions } from '../parked/versions.ts';
import { lateHandshake } from './late-handshake.ts';
import { isOlder, openParkStage } from './stage.ts';

describe.each(parkedVersions)('a parked request on %s', (version) => {
  it('[G-8] is repeated in another configuration directory, and the turn and the conversation continue', async () => {
    await using stage = await openParkStage(runsCommand, version);
    const parked = await stage.parkFirst();
    const canUseTool = vi.fn((_request: PermissionRequest) => allow());
    await using elsewhere = await stage.elsewhere(parked, { canUseTool });
    const { turn, session } = elsewhere;
    const later = session.send('second prompt');
    expect(await turn.text()).toBe('done');
    expect(turn.state).toBe('finished');
    expect(canUseTool.mock.calls.map(([request]) => request)).toMatchObject([
      { toolUseId: CALL, input: parked.request.input },
    ]);
    expect(stage.read('ran')).toBe('ran\n');
    expect(historyOf(stage.api.conversation[1])).toEqual([
      '0 user: first prompt',
      `1 assistant: Bash ${CALL}`,
      expect.stringContaining(`2 user: result of ${CALL}: `),
      '2 user: Continue from where you left off.',
    ]);
    expect(await later.text()).toBe('second answer');
  });

  it('[G-8] is answered with a stored answer, and canUseTool is not called', async () => {
    await using stage = await openParkStage(runsCommand, version);
    const canUseTool = vi.fn(() => deny('not now'));
    const parked = await stage.parkFirst();
    await using elsewhere = await stage.elsewhere({ ...parked, answer: allow() }, { canUseTool });
    expect(await elsewhere.turn.text()).toBe('done');
    expect(stage.read('ran')).toBe('ran\n');
    expect(canUseTool).not.toHaveBeenCalled();
  });

  it.each<[string, AgentOptions]>([
    ['a rule', { allowedTools: ['Bash'] }],
    ['a rule in the settings', { settings: { permissions: { allow: ['Bash'] } } }],
    ['a hook', { hooks: { PreToolUse: () => allow() } }],
  ])('[G-9] does not run its tool if it is denied, although %s would allow it', async (_by, options) => {
    await using stage = await openParkStage(runsCommand, version);
    const parked = await stage.parkFirst();
    await using elsewhere = await stage.elsewhere({ ...parked, answer: deny('not this time') }, options);
    expect(await elsewhere.turn.text()).toBe('done');
    expect(stage.read('ran')).toBeUndefined();
    expect(JSON.stringify(stage.api.conversation.at(-1)?.body.messages)).toContain('not this time');
  });

  it.each([
    ['hooks are disabled', { disableAllHooks: true }, {}],
    ['the CLI calls no hooks', { env: { CLAUDE_CODE_SIMPLE: '1' } }, {}],
    ['the hook cannot run', {}, { PATH: '/nowhere' }],
  ])(
    '[G-9] does not run its tool if it is denied, although a rule would allow it and %s',
    async (_how, settings, env) => {
      await using stage = await openParkStage(runsCommand, version);
      const parked = { ...(await stage.parkFirst()), answer: deny('not this time') };
      const configDir = await mkdtemp(stage.path('config-'));
      const file = JSON.stringify({ ...settings, permissions: { allow: ['Bash'] } });
      await writeFile(join(configDir, 'settings.json'), file);
      await using elsewhere = await stage.elsewhere(parked, { configDir, env });
      // A session that finds CLAUDE_CODE_SIMPLE in the settings of 2.1.97 or 2.1.197 does not start.
      const refused = ({ code }: { readonly code: string }): string => code;
      expect(await elsewhere.turn.text().catch(refused)).toMatch(isOlder(version) ? /^(done|options)$/ : /^done$/);
      expect(stage.read('ran')).toBeUndefined();
    },
  );

  it('[G-9] does not run its tool if the CLI receives the handshake late, although a rule would allow it', async () => {
    await using stage = await openParkStage(runsCommand, version);
    const parked = { ...(await stage.parkFirst()), answer: deny('not this time') };
    const late = lateHandshake(realCli(version));
    await using denied = await stage.elsewhere(parked, { allowedTools: ['Bash'], transport: late.open });
    for await (const { kind } of denied.turn.items({ permissions: true }))
      if (kind === 'permission-answered') late.write();
    expect(await denied.turn.text()).toBe('done');
    expect(stage.read('ran')).toBeUndefined();
  });

  it('[G-9] is not answered if the CLI sends it before it has received the hooks of the session', async () => {
    await using stage = await openParkStage(runsCommand, version);
    const parked = { ...(await stage.parkFirst()), answer: allow() };
    const late = lateHandshake(realCli(version));
    const hooks = { PreToolUse: () => undefined };
    await using early = await stage.elsewhere(parked, { hooks, transport: late.open });
    await expect(early.turn.text()).rejects.toMatchObject({ code: 'parked-request', problem: 'unguarded' });
    expect(stage.read('ran')).toBeUndefined();
    await using again = await stage.elsewhere(parked, { hooks });
    expect(await again.turn.text()).toBe('done');
  });

  it('[G-8] may concern one of two calls; the model receives a result for both', async () => {
    await using stage = await openParkStage(
      (current) => [() => [command(current()), command(current(), 'toolu_two')], text('done')],
      version,
    );
    const parked = await stage.parkFirst();
    await using elsewhere = await stage.elsewhere({ ...parked, answer: allow() });
    expect(await elsewhere.turn.text()).toBe('done');
    expect(stage.read('ran')).toBe('ran\n');
    const history = historyOf(stage.api.conversation.at(-1));
    expect(history.filter((line) => line.includes('toolu_two'))).toEqual([
      '1 assistant: Bash toolu_two',
      expect.stringContaining('result of toolu_two, error: No result: the turn was parked'),
    ]);
  });

  it('[G-8] may be a question', async () => {
    await using stage = await openParkStage(calls('AskUserQuestion', { questions: [QUESTION] }), version);
    const parked = await stage.parkFirst();
    expect(parked.request.kind).toBe('question');
    const answer = answerQuestions({ [QUESTION.question]: 'Right' });
    await using elsewhere = await stage.elsewhere({ ...parked, answer }, { canUseTool: () => deny('no') });
    expect(await elsewhere.turn.text()).toBe('done');
    expect(historyOf(stage.api.conversation.at(-1)).join('\n')).toMatch(/result of toolu_one: .*Right/);
  });

  it.each([
    ['in the call', calls('ExitPlanMode', { plan: '1. Write a file.' })],
    [
      'in a file',
      (): ReturnType<ReturnType<typeof calls>> => [
        ({ body }) => {
          const [path = ''] = /\/[^\s"'`\\]*plans\/[\w-]+\.md/.exec(JSON.stringify(body)) ?? [];
          return toolUse('Write', { file_path: path, content: '1. Write a file.' });
        },
        toolUse('ExitPlanMode', {}, { id: CALL }),
        text('done'),
      ],
    ],
  ])('[G-8] may be a plan %s, which is shown unchanged', async (_where, script) => {
    await using stage = await openParkStage(script, version);
    const parked = await stage.parkFirst({ permissionMode: 'plan' });
    const canUseTool = vi.fn((_request: PermissionRequest) => allow());
    await using elsewhere = await stage.elsewhere(parked, { canUseTool });
    expect(await elsewhere.turn.text()).toBe('done');
    expect(canUseTool.mock.calls.map(([request]) => request)).toMatchObject([
      { kind: 'plan', input: parked.request.input },
    ]);
  });

  it('[G-8] may concern a tool of an MCP server, but waits on releases that do not wait for the server', async () => {
    await using stage = await openParkStage(calls('mcp__plain__token', {}), version);
    const mcpServers = { plain: mcpServer };
    const parking = stage.parkFirst({ mcpServers });
    if (isOlder(version)) {
      await expect(parking).rejects.toMatchObject({ code: 'cannot-park', obstacle: 'mcp-tool' });
      return;
    }
    await using elsewhere = await stage.elsewhere({ ...(await parking), answer: allow() }, { mcpServers });
    expect(await elsewhere.turn.text()).toBe('done');
    expect(historyOf(stage.api.conversation.at(-1)).join('\n')).toContain(`result of ${CALL}: `);
  });
});
