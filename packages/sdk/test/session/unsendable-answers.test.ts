import { describe, expect, it } from 'vitest';
import { allow } from '../../src/callbacks/decisions.ts';
import type { PermissionRequest, PermissionResult } from '../../src/callbacks/permission-request.ts';
import { settle, start } from '../support/fake-cli.ts';

/** A value that JSON cannot represent. */
function circular(): object {
  const it: { self?: object } = {};
  it.self = it;
  return it;
}

const UNSENDABLE: readonly (readonly [string, () => object])[] = [
  ['a BigInt', () => ({ action: 'accept', content: { n: 10n } })],
  ['a circular value', () => ({ action: 'accept', content: circular() })],
  [
    'a value whose toJSON() throws',
    () => ({
      toJSON() {
        throw new Error('boo');
      },
    }),
  ],
];

describe('an answer that JSON cannot represent', () => {
  it.each(UNSENDABLE)('[O-8, E-4] of onElicitation is declined with one warning: %s', async (_, answer) => {
    const { session, cli, warnings } = await start({ onElicitation: () => answer() as { action: 'accept' } });
    cli.ask('e1', 'elicitation', { mcp_server_name: 'db', message: 'password?' });
    expect(await cli.answered('e1')).toEqual({ action: 'decline' });
    await settle();
    expect(warnings).toMatchObject([{ code: 'callback-failed', context: { id: 'e1' } }]);
    expect(cli.story).toEqual(['initialize', 'answer e1']);
    const turn = session.send('go on');
    cli.reply(await cli.got('prompt go on'), 'gladly');
    expect(await turn.text()).toBe('gladly');
  });

  it.each(UNSENDABLE)('[X-4, E-4] of onControlRequest is refused with one warning: %s', async (_, answer) => {
    const { session, cli, warnings } = await start({ onControlRequest: async () => answer() });
    cli.ask('q1', 'something_new');
    expect(await cli.got('answer q1')).toMatchObject({
      response: { subtype: 'error', error_code: 'unsupported_request' },
    });
    await settle();
    expect(warnings).toMatchObject([{ code: 'callback-failed', context: { id: 'q1' } }]);
    expect(cli.story).toEqual(['initialize', 'answer q1']);
    expect(session.state).toBe('running');
  });

  it('[O-8, S-7] does not stop the idle timeout of the turn', async () => {
    const { session, cli } = await start({ onElicitation: () => ({ action: 'accept', content: { n: 1n } }) });
    const turn = session.send('one', { idleTimeoutMs: 50 });
    const failed = expect(turn.result()).rejects.toMatchObject({ name: 'TimeoutError', kind: 'idleTimeoutMs' });
    cli.begin(await cli.got('prompt one'));
    cli.ask('e1', 'elicitation', { mcp_server_name: 'db', message: 'password?' });
    await cli.answered('e1');
    await failed;
  });
});

describe('canUseTool that changes the input of its request', () => {
  /** Changes the input of a request and allows it. */
  function spoil({ input }: PermissionRequest, what: unknown): PermissionResult {
    (input as Record<string, unknown>).self = what;
    return allow();
  }

  it.each<[string, (request: PermissionRequest) => PermissionResult | Promise<PermissionResult>]>([
    ['circular, at once', (request) => spoil(request, request.input)],
    ['circular, later', async (request) => spoil(request, request.input)],
    ['a BigInt, at once', (request) => spoil(request, 1n)],
    ['a BigInt, later', async (request) => spoil(request, 1n)],
  ])('[P-3, E-4] denies the tool with a warning, and the session continues: %s', async (_, canUseTool) => {
    const { session, cli, warnings } = await start({ canUseTool });
    const turn = session.send('one');
    const prompt = await cli.got('prompt one');
    cli.begin(prompt);
    cli.askPermission('p1');
    expect(await cli.answered('p1')).toMatchObject({ behavior: 'deny', toolUseID: 'use-p1' });
    cli.finish(prompt, 'without it');
    expect(await turn.text()).toBe('without it');
    expect(warnings).toMatchObject([{ code: 'permission-failed', context: { tool: 'Write', failure: 'bad-result' } }]);
    expect(session.pendingPermissions()).toEqual([]);
    const next = session.send('two');
    cli.reply(await cli.got('prompt two'));
    await next.result();
  });

  it.each<[string, (result: PermissionResult) => PermissionResult | Promise<PermissionResult>]>([
    ['at once', (result) => result],
    ['later', async (result) => result],
  ])('[P-8] denies the tool for plain data (%s), because the effective input is ambiguous', async (_, give) => {
    const { cli, warnings } = await start({ canUseTool: (request) => give(spoil(request, { deep: [1] })) });
    cli.askPermission('p1');
    expect(await cli.answered('p1')).toMatchObject({ behavior: 'deny' });
    expect(warnings).toMatchObject([
      { code: 'permission-failed', message: expect.stringContaining('pass the input as allow({ updatedInput })') },
    ]);
  });

  it('[P-8] and passes it as updatedInput uses a copy, whatever happens to it before it is written', async () => {
    let shown: Record<string, unknown> = {};
    const { cli } = await start({
      canUseTool: (request) => {
        shown = request.input as Record<string, unknown>;
        spoil(request, { deep: [1] });
        return allow({ updatedInput: request.input });
      },
      onEvent: ({ type }) => {
        if (type === 'permission-answered') shown.self = { deep: 1n };
      },
    });
    cli.askPermission('p1');
    expect(await cli.answered('p1')).toMatchObject({
      behavior: 'allow',
      updatedInput: { file_path: '/f', self: { deep: [1] } },
    });
  });
});
