import { join } from 'node:path';
import { type AgentOptions, allow, deny, query } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { CassetteError, inMemoryCli, type ReplayOptions, recording, replaying, script } from '../../src/index.ts';
import { startedSession } from '../started-session.ts';
import { temporaryFolder } from './temporary-folder.ts';

const agent = script()
  .onPrompt('tool', (turn) => turn.useTool('Bash', { command: 'make' }, { permission: 'ask' }).say('Made.'))
  .otherwise((turn) => turn.say('Fine.'));

/** Records a query and replays another one. */
async function replayOther(
  recorded: { readonly prompt: string; readonly options?: AgentOptions },
  live: { readonly prompt: string; readonly options?: AgentOptions },
  how: ReplayOptions = {},
) {
  const file = join(temporaryFolder(), 'some.ndjson');
  const record = recording(file, { inner: inMemoryCli(agent).transport });
  await query(recorded.prompt, { ...recorded.options, transport: record }).text();
  await record.saved();
  const stream = query(live.prompt, { ...live.options, transport: replaying(file, how) });
  const { messages, terminalError } = await stream.collect();
  return { file, messages, error: terminalError, exit: await stream.closed };
}

describe('a query that differs from its recording', () => {
  it('[K-3, E-2] fails with the line, the recorded and the actual input, and advice', async () => {
    const { file, error } = await replayOther({ prompt: 'How are you?' }, { prompt: 'How old are you?' });
    expect(error).toBeInstanceOf(CassetteError);
    expect(error).toMatchObject({
      name: 'CassetteError',
      code: 'transport',
      problem: 'mismatch',
      file,
      line: 2,
      differences: [{ path: '', recorded: 'How are you?', live: 'How old are you?' }],
    });
    expect(error?.message).toBe(
      `${file}:2: in the recording the host writes the text "How are you?" here, but it wrote the text "How old are you?".\n` +
        '  recorded "How are you?", now "How old are you?"\n' +
        ` If the change is intended, record it again with recording("${file}"), or play it with match: 'loose'.`,
    );
    expect(error?.stack).toMatch(/^CassetteError: /);
  });

  it('[K-3] fails at the start if the arguments differ', async () => {
    const { error, messages } = await replayOther(
      { prompt: 'x', options: { model: 'opus' } },
      { prompt: 'x', options: { model: 'sonnet', maxTurns: 3 } },
    );
    expect(messages).toEqual([]);
    expect(error).toMatchObject({
      problem: 'mismatch',
      line: 1,
      differences: expect.arrayContaining([{ path: '[5]', recorded: 'opus', live: 'sonnet' }]),
    });
    expect(error?.message).toContain('--model opus');
    expect(error?.message).toContain('[6]: recorded nothing, now "--max-turns"');
  });

  it('[K-3] is accepted by loose matching if the kinds agree', async () => {
    const { error, messages } = await replayOther(
      { prompt: 'x', options: { model: 'opus' } },
      { prompt: 'y', options: { model: 'sonnet' } },
      { match: 'loose' },
    );
    expect([error, messages.at(-1)]).toMatchObject([undefined, { type: 'result', result: 'Fine.' }]);
  });

  it('[K-3] fails with loose matching if the kinds differ', async () => {
    const { error } = await replayOther(
      { prompt: 'x' },
      { prompt: 'x', options: { hooks: { Stop: () => {} } } },
      { match: 'loose' },
    );
    expect(error).toMatchObject({
      problem: 'mismatch',
      message: expect.stringContaining('recorded "text", now "control_request initialize"'),
    });
  });

  it('[K-3] fails with the differing field if a callback answers differently', async () => {
    const { error } = await replayOther(
      { prompt: 'tool', options: { canUseTool: () => allow() } },
      { prompt: 'tool', options: { canUseTool: () => deny('not today') } },
    );
    expect(error).toMatchObject({
      problem: 'mismatch',
      message: expect.stringContaining('the host wrote the answer to can_use_tool (Bash), but not as it was recorded'),
      differences: expect.arrayContaining([
        { path: 'response.response.behavior', recorded: 'allow', live: 'deny' },
        { path: 'response.response.message', live: 'not today' },
      ]),
    });
  });

  it('[K-3] is accepted if normalise removes the difference', async () => {
    const answer = (at: number) => ({
      canUseTool: () => allow({ updatedInput: { command: 'make', at } }),
    });
    const { error, messages } = await replayOther(
      { prompt: 'tool', options: answer(1) },
      { prompt: 'tool', options: answer(2) },
      { normalise: (frame) => JSON.parse(JSON.stringify(frame, (key, value) => (key === 'at' ? 0 : value))) },
    );
    expect(error).toBeUndefined();
    expect(messages).toContainEqual(expect.objectContaining({ type: 'result', result: 'Made.' }));
  });

  it('[K-3] fails with the awaited answer if a callback never answers', async () => {
    const { error, exit } = await replayOther(
      { prompt: 'tool', options: { canUseTool: () => allow() } },
      { prompt: 'tool', options: { canUseTool: () => new Promise(() => {}) } },
      { waitMs: 50 },
    );
    expect(error?.message).toContain(
      'the recording continues when the host has written the answer to can_use_tool (Bash), and nothing arrived for 50 ms',
    );
    expect(exit.ended).not.toBe('by-itself');
  });
});

describe('the options of a replay', () => {
  it('[K-3, E-4] fail the run if the normalise function throws', async () => {
    const hooks = { Stop: () => {} };
    const { error } = await replayOther(
      { prompt: 'x', options: { hooks } },
      { prompt: 'x', options: { hooks } },
      {
        normalise: () => {
          throw new Error('my mistake');
        },
      },
    );
    expect(error).toMatchObject({
      name: 'CassetteError',
      message: expect.stringContaining('normalise threw Error: my mistake'),
    });
  });

  it('[K-3] include loose matching, which uses the id of the live session even if other fields differ', async () => {
    const file = join(temporaryFolder(), 'loose.ndjson');
    const record = recording(file, { inner: inMemoryCli(agent).transport });
    const run = async (options: AgentOptions) => {
      await using session = await startedSession(options);
      const { messages } = await session.send('x').collect();
      return { id: session.id, messages };
    };
    await run({ transport: record });
    await record.saved();
    const { id, messages } = await run({
      transport: replaying(file, { match: 'loose' }),
      model: 'opus',
      allowedTools: ['Read'],
    });
    expect(messages.length).toBeGreaterThan(1);
    for (const message of messages) expect(message).toHaveProperty('session_id', id);
  });
});

describe('a session that differs from its recording', () => {
  async function recorded(run: (transport: AgentOptions['transport']) => Promise<void>): Promise<string> {
    const file = join(temporaryFolder(), 'session.ndjson');
    const record = recording(file, { inner: inMemoryCli(agent).transport });
    await run(record);
    await record.saved();
    return file;
  }
  const oneTurn = async (transport: AgentOptions['transport'], prompt = 'one'): Promise<void> => {
    await using session = await startedSession({ transport });
    await session.send(prompt).text();
  };

  it('[K-3] fails the start if the handshake differs', async () => {
    const file = await recorded(oneTurn);
    const start = startedSession({ transport: replaying(file), systemPrompt: 'Be brief.' });
    await expect(start).rejects.toMatchObject({
      problem: 'mismatch',
      differences: [{ path: 'request.systemPrompt', live: expect.anything() }],
    });
  });

  it('[K-3] fails the turn and the session if the prompt differs', async () => {
    const file = await recorded(oneTurn);
    const session = await startedSession({ transport: replaying(file) });
    const error = { problem: 'mismatch', differences: [{ path: 'message.content', recorded: 'one', live: 'two' }] };
    await expect(session.send('two').text()).rejects.toMatchObject(error);
    await session.closed;
    expect(session.state).toBe('failed');
  });

  it('[K-3] fails a turn that was not recorded', async () => {
    const file = await recorded(oneTurn);
    const session = await startedSession({ transport: replaying(file), limits: { graceMs: 50 } });
    await session.send('one').text();
    await expect(session.send('two').text()).rejects.toMatchObject({
      problem: 'mismatch',
      message: expect.stringContaining('in the recording the host writes a control_request end_session here'),
    });
    await session.close();
  });

  it('[K-3] reports the remaining recording in unplayed() if it stops early', async () => {
    const file = await recorded(oneTurn);
    const replay = replaying(file, { match: 'loose' });
    const session = await startedSession({ transport: replay, limits: { graceMs: 50 } });
    await session.close();
    expect(await replay.unplayed()).toContainEqual(expect.stringContaining('written the user message "one"'));
  });
});
