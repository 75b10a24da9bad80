import { describe, expect, it } from 'vitest';
import { decideLater } from '../../src/callbacks/decisions.ts';
import { type FakeCli, pendingId, settle, start } from '../support/fake-cli.ts';

const never = (): Promise<never> => new Promise(() => {});
const REFUSED = { response: { subtype: 'error', error_code: 'too_many_requests' } };

/** The number of answers that the CLI received. */
function answersOf(cli: FakeCli): number {
  return cli.story.filter((words) => words.startsWith('answer')).length;
}

describe('a flood of unanswered requests', () => {
  it('[W-10, P-3] is denied above limits.maxOpenRequests if they are permissions', async () => {
    let asked = 0;
    const canUseTool = (): ReturnType<typeof decideLater> => {
      asked++;
      return decideLater();
    };
    const { session, cli, warnings } = await start({ canUseTool, limits: { maxOpenRequests: 10 } });
    for (let nth = 0; nth < 1_000; nth++) cli.askPermission(`p${nth}`);
    expect(await cli.answered('p999')).toMatchObject({
      behavior: 'deny',
      message: 'Permission denied: too many requests are waiting.',
    });
    expect(asked).toBe(10);
    expect(session.pendingPermissions()).toHaveLength(10);
    expect(answersOf(cli)).toBe(990);
    expect(warnings.at(-1)).toMatchObject({ code: 'permission-failed', context: { failure: 'overflow' } });
    await session.answerPermission(pendingId(session, 'p0'), { decision: 'deny', reason: 'no' });
    cli.askPermission('p1000');
    await cli.answered('p0');
    await settle();
    expect(session.pendingPermissions().map(({ toolUseId }) => toolUseId)).toContain('use-p1000');
  });

  it.each([
    ['elicitation', { onElicitation: never }],
    ['something_new', { onControlRequest: never }],
  ])('[W-10, X-4] is refused above limits.maxOpenRequests: %s', async (subtype, options) => {
    const { cli } = await start({ ...options, limits: { maxOpenRequests: 10 } });
    for (let nth = 0; nth < 1_000; nth++) cli.ask(`q${nth}`, subtype, { mcp_server_name: 's', message: 'm' });
    expect(await cli.got('answer q999')).toMatchObject(REFUSED);
    expect(answersOf(cli)).toBe(990);
  });

  it('[W-10, T-1] to in-process tools is refused above limits.maxOpenRequests', async () => {
    const server = { create: () => never };
    const { cli } = await start({ mcpServers: { slow: server }, limits: { maxOpenRequests: 10 } });
    for (let nth = 0; nth < 100; nth++) {
      const message = { jsonrpc: '2.0', id: nth, method: 'tools/list', params: {} };
      cli.ask(`m${nth}`, 'mcp_message', { server_name: 'slow', message });
    }
    expect(await cli.got('answer m99')).toMatchObject(REFUSED);
    expect(answersOf(cli)).toBe(90);
  });

  it('[W-10, H-3] is refused above limits.backlogBytes if they are large; hooks follow their failure policy', async () => {
    const { cli, session } = await start({
      canUseTool: () => decideLater(),
      hooks: { PreToolUse: never },
      limits: { backlogBytes: 100_000 },
    });
    const large = { tool_input: { command: 'x'.repeat(30_000) } };
    for (let nth = 0; nth < 5; nth++) cli.askHook(`h${nth}`, 'PreToolUse', 'hook_0', large);
    for (let nth = 0; nth < 5; nth++) cli.askPermission(`p${nth}`, 'Bash', large);
    expect(await cli.answered('h4')).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
    expect(await cli.answered('p4')).toMatchObject({ behavior: 'deny' });
    expect(answersOf(cli)).toBe(4);
    expect(session.pendingPermissions()).toHaveLength(3);
  });

  it('[W-10] with one id is served once', async () => {
    let asked = 0;
    const onControlRequest = (): Promise<never> => {
      asked++;
      return never();
    };
    const { cli } = await start({ onControlRequest });
    for (let nth = 0; nth < 100; nth++) cli.ask('q', 'something_new');
    cli.ask('last', 'hook_callback');
    await cli.got('answer last');
    expect(asked).toBe(1);
  });
});
