import { query } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { inMemoryCli } from '../../src/scripted/in-memory.ts';
import { script } from '../../src/scripted/script.ts';
import { scriptedCli } from '../../src/scripted/scripted-cli.ts';

const weather = script().otherwise((turn) =>
  turn
    .think('Hm.')
    .say('Let me look.')
    .useTool('Bash', { command: 'date' }, { result: 'Sun' })
    .say('Sunny.')
    .result({ costUsd: 0.01 }),
);

describe('a script played in memory', () => {
  it('[K-1] yields the same messages of a query as in a process', async () => {
    const played = inMemoryCli(weather);
    await using cli = await scriptedCli(weather);
    const options = { includePartialMessages: true };
    const inMemory = await query('How is it?', { ...options, transport: played.transport }).collect();
    const inProcess = await query('How is it?', { ...options, cli: cli.path }).collect();
    const kinds = ({ messages }: typeof inMemory): string[] =>
      messages.map((message) => [message.type, 'subtype' in message && message.subtype].join(' '));
    expect(kinds(inMemory)).toEqual(kinds(inProcess));
    expect(inMemory.messages.at(-1)).toMatchObject({ type: 'result', result: 'Sunny.', total_cost_usd: 0.01 });
    expect([inMemory.warnings, inMemory.terminalError]).toEqual([[], undefined]);
    expect(played.runs()).toMatchObject([{ prompts: ['How is it?'], exit: { code: 0 } }]);
  });

  it('[K-1] can be played any number of times', async () => {
    const { transport, runs } = inMemoryCli(weather);
    const answers = await Promise.all(['a', 'b'].map((prompt) => query(prompt, { transport }).text()));
    expect(answers).toEqual(['Sunny.', 'Sunny.']);
    expect(runs().map(({ prompts }) => prompts)).toEqual([['a'], ['b']]);
  });

  it('[K-1] can be interrupted', async () => {
    const { transport } = inMemoryCli(script().otherwise((turn) => turn.say('…').silence()));
    const stream = query('x', { transport });
    for await (const message of stream) if (message.type === 'assistant') break;
    expect(await stream.close()).toMatchObject({ exitCode: 0, ended: 'interrupted' });
  });

  it('[K-1] crashes with its stderr', async () => {
    const { transport } = inMemoryCli(
      script().otherwise((turn) => turn.stderr('out of luck\n').crash({ signal: 'SIGSEGV' })),
    );
    const { terminalError } = await query('x', { transport }).collect();
    expect(terminalError).toMatchObject({
      code: 'process',
      signal: 'SIGSEGV',
      stderrTail: expect.stringContaining('out of luck'),
    });
  });
});
