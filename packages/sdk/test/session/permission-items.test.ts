import { describe, expect, expectTypeOf, it } from 'vitest';
import { allow, decideLater, deny } from '../../src/callbacks/decisions.ts';
import { query } from '../../src/query/query.ts';
import { openSession } from '../../src/restart/open-session.ts';
import type { PermissionItem, StreamItem } from '../../src/stream/items.ts';
import type { MessageStream } from '../../src/stream/message-stream.ts';
import { FakeCli, pendingId, settle, start } from '../support/fake-cli.ts';

describe('items({ permissions: true })', () => {
  it('[Q-2, P-7] of a turn includes requests and answers in order between the messages', async () => {
    const { session, cli } = await start({ canUseTool: () => decideLater() });
    const turn = session.send('go');
    const received = read(turn, async (item) => {
      if (item.kind === 'permission-requested') await session.answerPermission(item.id, deny('no'));
    });
    const prompt = await cli.got('prompt go');
    cli.begin(prompt);
    cli.askPermission('p1', 'Bash', { command: 'ls' });
    await cli.answered('p1');
    cli.finish(prompt);
    expect((await received).slice(-4)).toEqual([
      '1 system',
      '2 permission-requested p1',
      '3 permission-answered p1 deny',
      '4 result',
    ]);
  });

  it('[Q-2] of a query includes requests and answers between its messages', async () => {
    const cli = new FakeCli();
    const stream = query('go', { transport: cli, canUseTool: () => allow() });
    const received = read(stream);
    const prompt = await cli.got('prompt go');
    cli.begin(prompt);
    cli.askPermission('p1');
    await cli.answered('p1');
    cli.finish(prompt);
    expect((await received).filter((words) => words.includes('permission'))).toEqual([
      '2 permission-requested p1',
      '3 permission-answered p1 allow',
    ]);
  });

  it('[P-7] of a query supports decideLater() with answerPermission()', async () => {
    const cli = new FakeCli();
    await using stream = query('go', { transport: cli, canUseTool: () => decideLater() });
    expect(stream.pendingPermissions()).toEqual([]);
    const received = read(stream);
    const prompt = await cli.got('prompt go');
    cli.begin(prompt);
    cli.askPermission('p1', 'Bash', { command: 'ls' });
    await settle();
    expect(stream.pendingPermissions()).toMatchObject([{ toolName: 'Bash' }]);
    const id = pendingId(stream, 'p1');
    await stream.answerPermission(id, allow({ updatedInput: { command: 'pwd' } }));
    expect(await cli.answered('p1')).toMatchObject({ behavior: 'allow', updatedInput: { command: 'pwd' } });
    expect(stream.pendingPermissions()).toEqual([]);
    await expect(stream.answerPermission(id, allow())).rejects.toMatchObject({ code: 'no-such-permission' });
    cli.finish(prompt);
    expect((await received).at(-1)).toMatch(/ result$/);
  });

  it('[P-7] of a query without permission requests includes none', async () => {
    await using stream = query('go', { cli: '/nowhere' });
    stream.result().catch(() => {});
    expect(stream.pendingPermissions()).toEqual([]);
    await expect(stream.answerPermission('p1', allow())).rejects.toMatchObject({ code: 'no-such-permission' });
  });

  it('[Q-2, A-2] of a turn of a restarting session includes requests and answers, numbered without gaps', async () => {
    const cli = new FakeCli();
    await using session = openSession({ transport: () => cli, canUseTool: () => allow(), restart: true });
    const received = read(session.send('go'));
    const prompt = await cli.got('prompt go');
    cli.begin(prompt);
    cli.askPermission('p1');
    await cli.answered('p1');
    cli.finish(prompt);
    expect((await received).map((words) => words.split(' ')[0])).toEqual(['0', '1', '2', '3', '4']);
    expect((await received)[2]).toBe('2 permission-requested p1');
  });

  it('[Q-2] changes neither the items nor the numbers nor the types of a reader without it', async () => {
    const { session, cli } = await start({ canUseTool: () => allow() });
    const turn = session.send('go');
    const items = turn.items();
    expectTypeOf(items).toEqualTypeOf<AsyncIterable<StreamItem>>();
    const received = (async () => {
      const numbers: string[] = [];
      for await (const { kind, seq } of items) numbers.push(`${seq} ${kind}`);
      return numbers;
    })();
    const prompt = await cli.got('prompt go');
    cli.begin(prompt);
    cli.askPermission('p1');
    await cli.answered('p1');
    cli.finish(prompt);
    expect(await received).toEqual(['0 message', '1 message', '2 message']);
  });

  it('[P-10, Q-2] of a turn has copies of the requests: changing one changes nothing that runs', async () => {
    const { session, cli } = await start({ canUseTool: () => decideLater() });
    const turn = session.send('go');
    const received = read(turn, async (item) => {
      if (item.kind !== 'permission-requested') return;
      Reflect.set(item.request.input, 'command', 'rm');
      await session.answerPermission(item.id, allow());
    });
    const prompt = await cli.got('prompt go');
    cli.begin(prompt);
    cli.askPermission('p1', 'Bash', { command: 'ls' });
    expect(await cli.answered('p1')).toMatchObject({ updatedInput: { command: 'ls' } });
    cli.finish(prompt);
    await received;
  });

  it('[Q-2, P-7] does not include an answer that arrives in the next turn', async () => {
    const { session, cli } = await start({ canUseTool: () => decideLater() });
    const first = session.send('first');
    const ofFirst = read(first);
    const prompt = await cli.got('prompt first');
    cli.begin(prompt);
    cli.askPermission('p1');
    cli.finish(prompt);
    expect((await ofFirst).at(-2)).toBe('2 permission-requested p1');
    const second = session.send('second');
    const ofSecond = read(second);
    const next = await cli.got('prompt second');
    cli.begin(next);
    await session.answerPermission(pendingId(session, 'p1'), allow());
    cli.finish(next);
    expect((await ofSecond).filter((words) => words.includes('permission'))).toEqual([]);
  });
});

/** The items of a stream, as text. */
async function read(
  stream: MessageStream,
  onItem: (item: StreamItem | PermissionItem) => Promise<void> = async () => {},
): Promise<string[]> {
  const lines: string[] = [];
  /** The CLI's id of each request. */
  const names = new Map<string, string | undefined>();
  for await (const item of stream.items({ permissions: true })) {
    if (item.kind === 'permission-requested') names.set(item.id, item.request.toolUseId?.replace('use-', ''));
    const name = 'id' in item ? names.get(item.id) : undefined;
    if (item.kind === 'permission-requested') lines.push(`${item.seq} ${item.kind} ${name}`);
    else if (item.kind === 'permission-answered') lines.push(`${item.seq} ${item.kind} ${name} ${item.decision}`);
    else lines.push(`${item.seq} ${item.kind === 'message' ? item.message.type : item.kind}`);
    await onItem(item);
  }
  return lines;
}
