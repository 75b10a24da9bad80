import { describe, expect, it } from 'vitest';
import { allow, decideLater, deny } from '../../src/callbacks/decisions.ts';
import { type FakeCli, type Frame, pendingId, settle, start } from '../support/fake-cli.ts';
import { INIT } from '../support/say.ts';

describe('permissions of a session', () => {
  it('[P-1, C-6] canUseTool makes the CLI ask over stdio', async () => {
    const { cli } = await start({ canUseTool: () => allow() });
    expect(cli.request?.argv.join(' ')).toContain('--permission-prompt-tool stdio');
    cli.askPermission('p1', 'Write', { file_path: '/f' });
    expect(await cli.answered('p1')).toEqual({
      behavior: 'allow',
      updatedInput: { file_path: '/f' },
      toolUseID: 'use-p1',
    });
  });

  it('[W-8, P-3] a request with 5,000 levels of nesting is denied without calling canUseTool, and the session continues', async () => {
    const log: object[] = [];
    const note = (fields: object): void => void log.push(fields);
    const logger = { trace: note, debug: note, info: note, warn: note, error: note };
    let called = 0;
    const canUseTool = () => {
      called += 1;
      return allow();
    };
    const { session, cli } = await start({ canUseTool, logger });
    const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
    cli.print(
      `{"type":"control_request","request_id":"p1","request":{"subtype":"can_use_tool","tool_name":"Write","input":{"deep":${deep}}}}\n`,
    );
    expect(await cli.answered('p1')).toMatchObject({ behavior: 'deny', message: expect.stringMatching(/denied/) });
    expect(called).toBe(0);
    expect(session.state).toBe('running');
    expect(log).not.toHaveLength(0);
  });

  it('[P-1, O-6] canUseTool makes the CLI start in a mode that uses it', async () => {
    const { cli, warnings } = await start({ canUseTool: () => allow() });
    expect(cli.request?.argv.join(' ')).toContain('--permission-mode default');
    expect(warnings).toEqual([]);
  });

  it.each(['auto', 'bypassPermissions', 'acceptEdits'])(
    '[P-5] a CLI that runs in the mode %s against its options causes one warning',
    async (permissionMode) => {
      const { session, cli, warnings } = await start({ canUseTool: () => allow() });
      for (const prompt of ['one', 'two']) {
        const turn = session.send(prompt);
        play(cli, await cli.got(`prompt ${prompt}`), permissionMode);
        await turn.result();
      }
      expect(warnings).toMatchObject([{ code: 'permissions-shadowed', context: { permissionMode, asked: 'default' } }]);
    },
  );

  it('[P-5] a mode that the caller has set in any way causes no warning', async () => {
    const settings = { permissions: { defaultMode: 'acceptEdits' } };
    const given = await start({ canUseTool: () => allow(), settings });
    const changed = await start({ canUseTool: () => allow() });
    await changed.session.setPermissionMode('acceptEdits');
    const ofTurn = await start({ canUseTool: () => allow() });
    for (const [{ session, cli, warnings }, options] of [
      [given, {}],
      [changed, {}],
      [ofTurn, { permissionMode: 'acceptEdits' }],
    ] as const) {
      const turn = session.send('go', options);
      play(cli, await cli.got('prompt go'), 'acceptEdits');
      await turn.result();
      expect(warnings).toEqual([]);
    }
  });

  it('[P-5] a mode in the settings object in which canUseTool is never called causes a warning at the start', async () => {
    const settings = { permissions: { defaultMode: 'dontAsk' } };
    const { cli, warnings } = await start({ canUseTool: () => allow(), settings });
    expect(cli.request?.argv).not.toContain('--permission-mode');
    expect(warnings).toMatchObject([{ code: 'permissions-shadowed', context: { permissionMode: 'dontAsk' } }]);
  });

  it('[P-7] lists pending requests in one shape, with the times of the request and of its denial', async () => {
    const limits = { permissionTimeoutMs: 60_000 };
    const { session, cli } = await start({ canUseTool: () => decideLater(), limits });
    const before = Date.now();
    cli.askPermission('p1', 'Write', { file_path: '/f' });
    await settle();
    const [pending] = session.pendingPermissions();
    expect(pending).toMatchObject({ toolName: 'Write', job: null, key: null });
    expect(pending?.requestedAt).toBeGreaterThanOrEqual(before);
    expect(pending?.requestedAt).toBeLessThanOrEqual(Date.now());
    expect(pending?.expiresAt).toBe(Number(pending?.requestedAt) + limits.permissionTimeoutMs);
    await session.answerPermission(pending?.id ?? '', allow());
    expect(session.pendingPermissions()).toEqual([]);
  });

  it('[P-7] decideLater() leaves the answer to other code, which receives the request as plain JSON', async () => {
    const { session, cli, events } = await start({ canUseTool: () => decideLater() });
    expect(session.pendingPermissions()).toEqual([]);
    cli.askPermission('p1', 'Write', { file_path: '/f' });
    cli.askPermission('p2', 'Bash', { command: 'ls' });
    await settle();
    const pending = session.pendingPermissions();
    expect(JSON.parse(JSON.stringify(pending))).toEqual(pending);
    expect(pending).toMatchObject([
      { id: expect.any(String), kind: 'tool', toolName: 'Write', input: { file_path: '/f' }, toolUseId: 'use-p1' },
      { toolName: 'Bash' },
    ]);
    expect(cli.story).toEqual(['initialize']);
    // Another process would also send the outcome as JSON.
    const [p1, p2] = [pendingId(session, 'p1'), pendingId(session, 'p2')];
    await session.answerPermission(p2, JSON.parse(JSON.stringify(deny('not today', { interrupt: true }))));
    await session.answerPermission(p1, allow({ updatedInput: { file_path: '/g' } }));
    expect(await cli.answered('p2')).toEqual({
      behavior: 'deny',
      message: 'not today',
      interrupt: true,
      toolUseID: 'use-p2',
    });
    expect(await cli.answered('p1')).toMatchObject({ behavior: 'allow', updatedInput: { file_path: '/g' } });
    expect(session.pendingPermissions()).toEqual([]);
    expect(events.filter(({ type }) => type.startsWith('permission-'))).toMatchObject([
      { type: 'permission-requested', id: p1, request: { id: p1, toolName: 'Write' } },
      { type: 'permission-requested', id: p2, request: { id: p2 } },
      { type: 'permission-answered', id: p2, tool: 'Bash', decision: 'deny' },
      { type: 'permission-answered', id: p1, tool: 'Write', decision: 'allow' },
    ]);
  });

  it('[P-7] an external answer takes precedence over a callback that is still running', async () => {
    let decide: (outcome: ReturnType<typeof allow>) => void = () => {};
    const { session, cli } = await start({ canUseTool: () => new Promise((resolve) => (decide = resolve)) });
    cli.askPermission('p1');
    await settle();
    await session.answerPermission(pendingId(session, 'p1'), deny('no'));
    decide(allow());
    await settle();
    expect(cli.story).toEqual(['initialize', 'answer p1']);
    expect(await cli.answered('p1')).toMatchObject({ behavior: 'deny' });
  });

  it('[P-7] answering an unknown, answered or withdrawn request fails with NoSuchPermissionError; an invalid answer leaves it pending', async () => {
    const { session, cli } = await start({ canUseTool: () => decideLater() });
    await expect(session.answerPermission('p0', allow())).rejects.toMatchObject({
      name: 'NoSuchPermissionError',
      id: 'p0',
    });
    cli.askPermission('p1');
    cli.askPermission('p2');
    await settle();
    const [p1, p2] = [pendingId(session, 'p1'), pendingId(session, 'p2')];
    await expect(session.answerPermission(p1, decideLater())).rejects.toMatchObject({ name: 'OptionsError' });
    expect(session.pendingPermissions()).toHaveLength(2);
    await session.answerPermission(p1, allow());
    await expect(session.answerPermission(p1, allow())).rejects.toMatchObject({ name: 'NoSuchPermissionError' });
    cli.say({ type: 'control_cancel_request', request_id: 'p2' });
    await settle();
    expect(session.pendingPermissions()).toEqual([]);
    await expect(session.answerPermission(p2, allow())).rejects.toMatchObject({ name: 'NoSuchPermissionError' });
    expect(cli.story).toEqual(['initialize', 'answer p1']);
  });

  it('[P-7, S-9] a deferred request is denied when the session is stopped', async () => {
    const { session, cli } = await start({ canUseTool: () => decideLater() });
    cli.askPermission('p1');
    await settle();
    const id = pendingId(session, 'p1');
    await session.close();
    expect(await cli.answered('p1')).toMatchObject({ behavior: 'deny', interrupt: true });
    expect(session.pendingPermissions()).toEqual([]);
    await expect(session.answerPermission(id, allow())).rejects.toMatchObject({ name: 'NoSuchPermissionError' });
  });

  it('[P-5] denials in a result cause a warning with the names of the tools', async () => {
    const { session, cli, warnings } = await start();
    const turn = session.send('one');
    cli.finish(await cli.got('prompt one'), 'done', {
      permission_denials: [{ tool_name: 'Write', tool_use_id: 'u', tool_input: {} }],
    });
    await turn.result();
    expect(warnings).toMatchObject([{ code: 'permission-denied' }]);
    expect(JSON.stringify(warnings)).toContain('Write');
  });
});

/** A turn of a CLI that reports its permission mode. */
function play(cli: FakeCli, prompt: Frame, permissionMode: string): void {
  cli.say({ ...INIT, permissionMode, user_message_uuids: [prompt.uuid] });
  cli.finish(prompt);
}
