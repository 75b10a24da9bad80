import { describe, expect, it } from 'vitest';
import { allow } from '../../src/callbacks/decisions.ts';
import { type FakeCli, type Frame, type Stage, settle, start } from '../support/fake-cli.ts';
import { assistant } from '../support/say.ts';

const CHUNK = assistant('x'.repeat(1_000));

/** Writes `count` messages of 1 KB, one chunk each. */
function flood(cli: FakeCli, count: number): void {
  for (let i = 0; i < count; i++) cli.say(CHUNK);
}

/** A turn whose reader has read one message and stopped. */
async function slowTurn({ session, cli }: Stage): Promise<{
  turn: ReturnType<typeof session.send>;
  reader: AsyncIterator<{ type: string }>;
  prompt: Frame;
}> {
  const turn = session.send('go');
  const reader = turn[Symbol.asyncIterator]();
  const first = reader.next();
  const prompt = await cli.got('prompt go');
  cli.begin(prompt);
  await first;
  return { turn, reader, prompt };
}

async function readAll(reader: AsyncIterator<{ type: string }>): Promise<number> {
  let count = 0;
  while (!(await reader.next()).done) count += 1;
  return count;
}

describe('a slow reader in a session without callbacks', () => {
  it('[S-12] pauses the pipe at limits.bufferBytes and loses nothing', async () => {
    const stage = await start({ limits: { bufferBytes: 10_000, backlogBytes: 20_000 } });
    const { cli } = stage;
    const { reader, prompt } = await slowTurn(stage);
    flood(cli, 100);
    await settle();
    const pulls = cli.output.pulls;
    expect(pulls).toBeLessThan(20);
    await settle();
    expect(cli.output.pulls).toBe(pulls);
    cli.finish(prompt);
    // The init, a hundred messages, the result.
    expect(await readAll(reader)).toBe(102);
  });

  it('[S-12] does not block the answer to a control request of the SDK', async () => {
    const stage = await start({ limits: { bufferBytes: 10_000 } });
    const { session, cli } = stage;
    const { reader, prompt } = await slowTurn(stage);
    flood(cli, 50);
    await settle();
    await session.setModel('opus');
    flood(cli, 50);
    cli.finish(prompt);
    expect(await readAll(reader)).toBe(102);
  });

  it('[S-9, S-12] does not delay close()', async () => {
    const stage = await start({ limits: { bufferBytes: 10_000 } });
    const { session, cli } = stage;
    const { reader } = await slowTurn(stage);
    flood(cli, 50);
    await settle();
    expect(await session.close()).toEqual({ exitCode: 0, signal: null, ended: 'by-itself' });
    expect(cli.story.at(-1)).toBe('end_session');
    await expect(readAll(reader)).rejects.toMatchObject({ name: 'SessionStoppedError' });
  });

  it('[S-12] releases the CLI by breaking out of the loop', async () => {
    const stage = await start({ limits: { bufferBytes: 10_000 } });
    const { turn, reader, prompt } = await slowTurn(stage);
    flood(stage.cli, 50);
    await settle();
    await reader.return?.();
    stage.cli.finish(prompt, 'done');
    expect(await turn.text()).toBe('done');
  });
});

describe('a slow reader in a session with callbacks', () => {
  it('[S-12] does not delay control frames', async () => {
    const asked: unknown[] = [];
    const stage = await start({
      limits: { bufferBytes: 10_000 },
      hooks: {
        PreToolUse: (input) => {
          asked.push(input.tool_name);
        },
      },
    });
    const { cli } = stage;
    const { reader, prompt } = await slowTurn(stage);
    flood(cli, 100);
    cli.askHook('h1');
    expect(await cli.answered('h1')).toEqual({});
    expect(asked).toEqual(['Bash']);
    cli.finish(prompt);
    expect(await readAll(reader)).toBe(102);
  });

  it.each([
    ['canUseTool', { canUseTool: () => allow() }],
    ['a tool server', { mcpServers: { calc: () => undefined } }],
  ])('[S-12] never pauses the pipe with %s', async (_, options) => {
    const stage = await start({ limits: { bufferBytes: 10_000 }, ...options });
    await slowTurn(stage);
    flood(stage.cli, 100);
    await settle();
    expect(stage.cli.output.pulls).toBeGreaterThan(100);
  });

  it('[S-12] gets ReaderTooSlowError above limits.backlogBytes; the turn, its result and the session continue', async () => {
    const stage = await start({
      limits: { bufferBytes: 10_000, backlogBytes: 50_000 },
      hooks: { PreToolUse: () => {} },
    });
    const { session, cli } = stage;
    const { turn, reader, prompt } = await slowTurn(stage);
    flood(cli, 100);
    await settle();
    await expect(readAll(reader)).rejects.toMatchObject({ name: 'ReaderTooSlowError', limit: 50_000 });
    expect(await reader.next()).toEqual({ value: undefined, done: true });
    cli.finish(prompt, 'all the same');
    expect(await turn.text()).toBe('all the same');
    expect(session.state).toBe('running');
  });
});

describe('a turn that is not iterated', () => {
  it('[S-12] keeps only its result and text above limits.bufferBytes, and never pauses the pipe', async () => {
    const { session, cli } = await start({ limits: { bufferBytes: 10_000 } });
    const turn = session.send('go');
    const prompt = await cli.got('prompt go');
    cli.begin(prompt);
    flood(cli, 100);
    cli.finish(prompt, 'done');
    expect(await turn.text()).toBe('done');
    await expect(readAll(turn[Symbol.asyncIterator]())).rejects.toMatchObject({
      name: 'TurnNotKeptError',
      limit: 10_000,
    });
    expect(await turn.text()).toBe('done');
  });
});

describe('an observer of a session', () => {
  it('[S-4, S-12] never pauses the pipe, and gets the number of lost items', async () => {
    const { session, cli } = await start({ limits: { observerBytes: 5_000 } });
    const messages = session.messages();
    const turn = session.send('go');
    const prompt = await cli.got('prompt go');
    cli.begin(prompt);
    flood(cli, 100);
    cli.finish(prompt, 'done');
    expect(await turn.text()).toBe('done');
    expect((await messages.next()).value).toMatchObject({ kind: 'gap', type: 'gap', dropped: expect.any(Number) });
    await session.close();
    let last: unknown;
    for await (const item of messages) last = item;
    expect(last).toMatchObject({ kind: 'message', message: { type: 'result' }, turn: turn.id });
  });
});
