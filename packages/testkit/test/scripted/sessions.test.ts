import { query } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { inMemoryCli } from '../../src/scripted/in-memory.ts';
import { script } from '../../src/scripted/script.ts';
import { scriptedCli } from '../../src/scripted/scripted-cli.ts';
import { startedSession } from '../started-session.ts';

const id = '11111111-1111-4111-8111-111111111111';
const agent = script()
  .onPrompt('crash', (turn) => turn.say('…').crash(), { inRun: 1 })
  .onPrompt('write', (turn) =>
    turn.useTool('Write', { file_path: '/tmp/a.txt', content: 'a' }, { permission: 'allow' }).say('Written.'),
  )
  .otherwise((turn) => turn.say('ok'));

describe.each(['memory', 'process'] as const)('the sessions of one agent (%s)', (place) => {
  it('[K-1] are resumed and continued by later runs; others are not found', async () => {
    await using place_ = await placeOf(place);
    const { options } = place_;
    const unknown = await query('x', { ...options, resume: id }).result();
    expect(unknown).toMatchObject({ errors: [`No conversation found with session ID: ${id}`] });
    expect(await query('x', { ...options, sessionId: id }).text()).toBe('ok');
    expect(await query('x', { ...options, resume: id }).result()).toMatchObject({ session_id: id });
    expect(await query('x', { ...options, continue: true }).result()).toMatchObject({ session_id: id });
    const forked = await query('x', { ...options, resume: id, forkSession: true }).result();
    expect(forked.session_id).not.toBe(id);
    const taken = await query('x', { ...options, sessionId: id }).collect();
    expect(taken.terminalError).toMatchObject({ stderrTail: expect.stringContaining('already in use') });
  });

  it('[K-1] do not exist before their first prompt, or without persistence', async () => {
    await using place_ = await placeOf(place);
    const { options } = place_;
    await (await startedSession({ ...options, sessionId: id })).close();
    expect(await query('x', { ...options, sessionId: id, persistSession: false }).text()).toBe('ok');
    expect(await query('x', { ...options, resume: id }).result()).toMatchObject({ is_error: true });
  });

  it('[K-1] can be rewound to a turn of an earlier run, and so can their forks', async () => {
    await using place_ = await placeOf(place);
    const options = { ...place_.options, fileCheckpointing: true };
    await using first = await startedSession({ ...options, sessionId: id });
    const turn = first.send('write');
    await turn.result();
    await first.close();
    for (const again of [{ resume: id }, { continue: true }, { resume: id, forkSession: true }]) {
      await using session = await startedSession({ ...options, ...again });
      expect(await session.rewindFiles(turn.id, { dryRun: true })).toMatchObject({ filesChanged: ['/tmp/a.txt'] });
      expect(await session.rewindFiles(turn.id)).toMatchObject({ canRewind: true });
    }
  });

  it('[K-1] cannot be rewound to a turn without checkpoint, or to an unknown turn', async () => {
    await using place_ = await placeOf(place);
    const { options } = place_;
    await using first = await startedSession({ ...options, sessionId: id });
    const turn = first.send('write');
    await turn.result();
    await first.close();
    await using session = await startedSession({ ...options, resume: id, fileCheckpointing: true });
    for (const message of [turn.id, id]) {
      expect(await session.rewindFiles(message, { dryRun: true })).toMatchObject({ canRewind: false });
      await expect(session.rewindFiles(message)).rejects.toThrow('No file checkpoint found for this message');
    }
  });

  it('[K-1] count their runs, so that a fault can be limited to the first run', async () => {
    await using place_ = await placeOf(place);
    const { options, runs } = place_;
    const first = await query('crash', { ...options, sessionId: id }).collect();
    expect(first.terminalError).toMatchObject({ signal: 'SIGKILL' });
    expect(await query('crash', { ...options, resume: id }).text()).toBe('ok');
    expect((await runs()).map(({ exit }) => exit)).toEqual([
      { code: null, signal: 'SIGKILL' },
      { code: 0, signal: null },
    ]);
  });
});

async function placeOf(place: 'memory' | 'process') {
  if (place === 'process') {
    const cli = await scriptedCli(agent);
    return { options: { cli: cli.path }, runs: cli.runs, [Symbol.asyncDispose]: () => cli[Symbol.asyncDispose]() };
  }
  const { transport, runs } = inMemoryCli(agent);
  return { options: { transport }, runs: async () => runs(), [Symbol.asyncDispose]: async () => {} };
}
