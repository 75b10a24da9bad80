import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentOptions, allow, deny, type Message, query } from 'coxswain';
import { tool, toolServer } from 'coxswain/mcp';
import { describe, expect, it } from 'vitest';
import { inMemoryCli, recording, replaying, type Script, script, scriptedCli } from '../../src/index.ts';
import { startedSession } from '../started-session.ts';
import { temporaryFolder } from './temporary-folder.ts';

const weather = script().otherwise((turn) => turn.think('Hm.').say('Sunny.').result({ costUsd: 0.01 }));

describe('a query', () => {
  it('[K-3] is recorded from a real process and played without it, message by message', async () => {
    const file = join(temporaryFolder(), 'deep', 'weather.ndjson');
    await using cli = await scriptedCli(weather);
    const record = recording(file, { cli: cli.path });
    const recorded = await query('How is it?', { transport: record, includePartialMessages: true }).collect();
    await record.saved();
    expect(readdirSync(join(file, '..'))).toEqual(['weather.ndjson']);

    const replay = replaying(file);
    const stream = query('How is it?', { transport: replay, includePartialMessages: true });
    const played = await stream.collect();
    expect(played.messages).toEqual(recorded.messages);
    expect(played.messages.at(-1)).toMatchObject({ type: 'result', result: 'Sunny.' });
    expect([played.warnings, played.terminalError, await replay.unplayed()]).toEqual([[], undefined, []]);
    expect(await stream.closed).toEqual({ exitCode: 0, signal: null, ended: 'by-itself' });
  });

  it('[K-3] is recorded as NDJSON with the version, the date and the command line', async () => {
    const file = join(temporaryFolder(), 'weather.ndjson');
    await using cli = await scriptedCli(weather.version('2.1.300'));
    const record = recording(file, { cli: cli.path });
    const before = new Date().toISOString();
    await query('How is it?', { transport: record, model: 'opus' }).text();
    await record.saved();
    const lines = linesOf(file);
    expect([before, lines[0]?.recordedAt, new Date().toISOString()].toSorted()[1]).toBe(lines[0]?.recordedAt);
    expect(lines[0]).toEqual({
      coxswainCassette: 1,
      run: 1,
      cliVersion: '2.1.300',
      recordedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      argv: ['claude', '--print', '--output-format', 'stream-json', '--verbose', '--model', 'opus'],
      mode: 'query',
    });
    expect(lines.slice(1, 3)).toEqual([
      { at: expect.any(Number), dir: 'in', text: 'How is it?' },
      { at: expect.any(Number), dir: 'in-end' },
    ]);
    expect(lines.at(-2)).toEqual({
      at: expect.any(Number),
      dir: 'exit',
      exitCode: 0,
      signal: null,
      ended: 'by-itself',
    });
    expect(lines.at(-1)).toEqual({ dir: 'end', runs: 1 });
  });

  it('[K-3] plays as fast as it is read, or with the recorded timing', async () => {
    const file = join(temporaryFolder(), 'slow.ndjson');
    await record(file, weather, (transport) => query('x', { transport }).text());
    delayAnswer(file, 600_000);
    expect(await query('x', { transport: replaying(file) }).text()).toBe('Sunny.');
    delayAnswer(file, 150);
    const started = performance.now();
    expect(await query('x', { transport: replaying(file, { timing: 'recorded' }) }).text()).toBe('Sunny.');
    expect(performance.now() - started).toBeGreaterThan(140);
  });

  it('[K-3] fails again if the process failed, with the same stderr', async () => {
    const file = join(temporaryFolder(), 'bad.ndjson');
    const bad = script().otherwise((turn) => turn.stderr('no such luck\n').exit(7));
    const run = async (transport: AgentOptions['transport']) =>
      (await query('x', { transport }).collect()).terminalError;
    const recorded = await record(file, bad, run);
    expect(await run(replaying(file))).toEqual(recorded);
    expect(recorded).toMatchObject({ code: 'process', exitCode: 7, stderrTail: 'no such luck\n' });
  });

  it('[K-3] can be ended early again if it was ended early', async () => {
    const file = join(temporaryFolder(), 'left.ndjson');
    const run = async (transport: AgentOptions['transport']) => {
      const stream = query('x', { transport });
      for await (const message of stream) if (message.type === 'assistant') break;
      return stream.close();
    };
    const recorded = await record(
      file,
      script().otherwise((turn) => turn.say('…').silence()),
      run,
    );
    expect(recorded).toMatchObject({ ended: 'interrupted' });
    expect(await run(replaying(file))).toEqual(recorded);
  });

  it('[K-3] is ended by a signal that was not recorded', async () => {
    const file = join(temporaryFolder(), 'whole.ndjson');
    await record(file, weather, (transport) => query('x', { transport }).text());
    delayAnswer(file, 600_000);
    const replay = replaying(file, { timing: 'recorded' });
    const stream = query('x', { transport: replay });
    await stream.started;
    expect(await stream.close()).toEqual({ exitCode: null, signal: 'SIGINT', ended: 'interrupted' });
    expect((await replay.unplayed()).at(-1)).toMatch(/whole\.ndjson:\d+: \(exit\) of the CLI$/);
  });

  it('[K-3] keeps bytes that are not UTF-8, not JSON or not a whole line', async () => {
    const file = join(temporaryFolder(), 'odd.ndjson');
    const odd = script().otherwise((turn) =>
      turn
        .bytes(Uint8Array.of(0x7b, 0xff, 0xfe, 0x0a))
        .line('{"type":"x", "spaced": 1.0}')
        .line(' \r')
        .line('not JSON \u2028 at all')
        .say('done')
        .result()
        .unfinishedLine('{"type":"late"'),
    );
    const run = (transport: AgentOptions['transport']) => query('x', { transport }).collect();
    const recorded = await record(file, odd, run);
    const played = await run(replaying(file));
    const plain = ({ items }: typeof played) => items.map((item) => ({ ...item, at: 0 }));
    expect(plain(played)).toEqual(plain(recorded));
    expect(plain(played)).toContainEqual(
      expect.objectContaining({ kind: 'message', rawJson: '{"type":"x", "spaced": 1.0}' }),
    );
  });

  it('[K-3] keeps a line of many megabytes', async () => {
    const file = join(temporaryFolder(), 'large.ndjson');
    const text = 'é"\\'.repeat(600_000);
    const large = inMemoryCli(script().otherwise((turn) => turn.say(text)));
    const record = recording(file, { inner: large.transport });
    expect(await query('x', { transport: record }).text()).toBe(text);
    await record.saved();
    expect(await query('x', { transport: replaying(file) }).text()).toBe(text);
  });
});

describe('a session', () => {
  it('[K-3] plays hooks, permissions, tools, control requests and turns with other ids than recorded', async () => {
    const file = join(temporaryFolder(), 'session.ndjson');
    const agent = script()
      .onPrompt('first', (turn) =>
        turn
          .useTool('Bash', { command: 'make' }, { permission: 'ask', result: 'made' })
          .useTool('Bash', { command: 'rm -rf /' }, { permission: 'allow' })
          .useTool('mcp__host__add', { a: 2, b: 3 })
          .say('Made.'),
      )
      .onPrompt('second', (turn) => turn.say('Again.'));
    const run = async (transport: AgentOptions['transport']) => {
      const calls: string[] = [];
      const messages: Message[] = [];
      await using session = await startedSession({
        transport,
        hooks: {
          PreToolUse: async (input) => {
            const command = JSON.stringify(input.tool_input);
            calls.push(`hook ${command}`);
            return command.includes('rm') ? deny('no') : {};
          },
        },
        canUseTool: async ({ toolName }) => {
          calls.push(`asked ${toolName}`);
          return allow();
        },
        mcpServers: {
          host: toolServer({
            name: 'host',
            tools: [
              tool('add', 'Adds', { type: 'object' }, async (input) => {
                calls.push(`tool ${JSON.stringify(input)}`);
                return '5';
              }),
            ],
          }),
        },
      });
      const first = session.send('first');
      for await (const message of first) messages.push(message);
      await session.setModel('claude-haiku-5-5');
      const second = session.send('second');
      expect(await second.text()).toBe('Again.');
      const { id } = session;
      return { calls, id, turns: [first.id, second.id], messages, exit: await session.close() };
    };
    const recorded = await record(file, agent, run);
    const played = await run(replaying(file));
    expect(played.calls).toEqual(recorded.calls);
    expect(played.calls).toEqual([
      'hook {"command":"make"}',
      'asked Bash',
      'hook {"command":"rm -rf /"}',
      'hook {"a":2,"b":3}',
      'tool {"a":2,"b":3}',
    ]);
    expect(played.turns).not.toEqual(recorded.turns);
    expect(played.id).not.toBe(recorded.id);
    expect(played.messages.map(({ type }) => type)).toEqual(recorded.messages.map(({ type }) => type));
    for (const message of played.messages) expect(message).toHaveProperty('session_id', played.id);
    expect(played.exit).toEqual(recorded.exit);
  });

  it('[K-3] plays an interrupt', async () => {
    const file = join(temporaryFolder(), 'interrupt.ndjson');
    const agent = script().otherwise((turn) => turn.say('one two three', { everyMs: 20 }).silence());
    const run = async (transport: AgentOptions['transport']) => {
      await using session = await startedSession({ transport, includePartialMessages: true });
      const turn = session.send('count');
      for await (const message of turn) if (message.type === 'stream_event') break;
      await turn.interrupt();
      return (await turn.result()).subtype;
    };
    expect(await record(file, agent, run)).toBe('error_during_execution');
    expect(await run(replaying(file))).toBe('error_during_execution');
  });

  it('[K-3] accepts answers of callbacks in another order than recorded', async () => {
    const file = join(temporaryFolder(), 'parallel.ndjson');
    const agent = script().otherwise((turn) =>
      turn
        .useTools(['a', 'b'].map((command) => ({ name: 'Bash', input: { command }, permission: 'allow' })))
        .say('Both.'),
    );
    const run = (slow: string) => (transport: AgentOptions['transport']) => {
      let other = (): void => {};
      const answered = new Promise<void>((resolve) => {
        other = resolve;
      });
      return query('x', {
        transport,
        hooks: {
          PostToolBatch: () => {},
          PreToolUse: [
            { run: async () => (slow === 'first' ? void (await answered) : other()) },
            { run: async () => (slow === 'second' ? void (await answered) : other()) },
          ],
        },
      }).text();
    };
    expect(await record(file, agent, run('first'))).toBe('Both.');
    expect(await run('second')(replaying(file))).toBe('Both.');
  });
});

describe('several runs', () => {
  const echo = script()
    .onPrompt('a', (turn) => turn.say('A'))
    .onPrompt('b', (turn) => turn.say('B'));

  it('[K-3] are stored in one cassette in the order in which they started, and played in that order', async () => {
    const file = join(temporaryFolder(), 'runs.ndjson');
    const { transport } = inMemoryCli(echo);
    const record = recording(file, { inner: transport });
    await Promise.all(['a', 'b'].map((prompt) => query(prompt, { transport: record }).text()));
    await record.saved();
    await query('b', { transport: record }).text();
    await record.saved();
    expect(linesOf(file).flatMap(({ run }) => run ?? [])).toEqual([1, 2, 3]);

    const replay = replaying(file);
    const both = await Promise.all(['a', 'b'].map((prompt) => query(prompt, { transport: replay }).text()));
    expect(both).toEqual(['A', 'B']);
    expect(await replay.unplayed()).toEqual([expect.stringMatching(/runs\.ndjson:\d+: run 3$/)]);
    expect(await query('b', { transport: replay }).text()).toBe('B');
    await expect(query('b', { transport: replay }).text()).rejects.toMatchObject({
      name: 'CassetteError',
      code: 'transport',
      problem: 'no-more-runs',
      message: expect.stringContaining('contains 3 runs, and this is run 4'),
    });
  });

  it('[K-3] are replaced by a new recording to the same file', async () => {
    const file = join(temporaryFolder(), 'again.ndjson');
    await record(file, echo, (transport) => query('a', { transport }).text());
    await record(file, echo, (transport) => query('b', { transport }).text());
    expect(await query('b', { transport: replaying(file) }).text()).toBe('B');
  });
});

/** Runs something on a recorded agent without a process. */
async function record<T>(
  file: string,
  agent: Script,
  run: (transport: AgentOptions['transport']) => Promise<T>,
): Promise<T> {
  const transport = recording(file, { inner: inMemoryCli(agent).transport });
  const outcome = await run(transport);
  await transport.saved();
  return outcome;
}

/** Delays the CLI's first output. */
function delayAnswer(file: string, ms: number): void {
  const isAnswer = ({ dir }: Record<string, unknown>): boolean => dir === 'out' || dir === 'exit';
  const entries = linesOf(file).map((line) => ('at' in line ? { ...line, at: isAnswer(line) ? ms : 0 } : line));
  writeFileSync(file, entries.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

function linesOf(file: string): Record<string, unknown>[] {
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}
