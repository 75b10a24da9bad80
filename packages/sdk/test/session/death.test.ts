import { describe, expect, it } from 'vitest';
import { TransportError } from '../../src/errors/stream.ts';
import { FakeCli, settle, silence, start } from '../support/fake-cli.ts';
import { assistant } from '../support/say.ts';

const never = (): Promise<never> => new Promise(() => {});

describe('a session whose CLI dies', () => {
  it('[S-10] immediately fails the running turn, waiting turns and requests with the cause', async () => {
    const cli = new FakeCli({ set_model: silence });
    const { session, events } = await start({}, cli);
    const running = session.send('one');
    const reading = running.collect();
    const waiting = session.send('two');
    cli.begin(await cli.got('prompt one'));
    cli.say(assistant('half of it'));
    const outcomes = Promise.allSettled([running.result(), running.text(), waiting.result(), session.setModel('x')]);
    await settle();
    cli.errorOutput.push(Buffer.from('out of memory\n'));
    cli.die(null, 'SIGKILL');
    const died = { name: 'ProcessError', signal: 'SIGKILL', exitCode: null, stderrTail: 'out of memory\n' };
    const stopped = { name: 'SessionStoppedError', cause: died };
    expect(await outcomes).toMatchObject([
      { reason: died },
      { reason: died },
      { reason: stopped },
      { reason: stopped },
    ]);
    const { messages: items, terminalError } = await reading;
    expect(items.map(({ type }) => type)).toEqual(['command_lifecycle', 'system', 'assistant']);
    expect(terminalError).toMatchObject(died);
    expect(await session.closed).toEqual({ exitCode: null, signal: 'SIGKILL', ended: 'by-itself' });
    expect(events.slice(-4)).toMatchObject([
      { type: 'state-changed', state: 'failed' },
      { type: 'turn-ended', outcome: 'no-result' },
      { type: 'exit', signal: 'SIGKILL' },
      { type: 'failed', error: { code: 'process', signal: 'SIGKILL' } },
    ]);
  });

  it('[S-10] reads the last output before the turn fails', async () => {
    const { session, cli } = await start();
    const turn = session.send('one');
    const prompt = await cli.got('prompt one');
    cli.exit(1);
    await settle();
    cli.reply(prompt, 'just made it');
    cli.output.end();
    cli.errorOutput.end();
    expect(await turn.text()).toBe('just made it');
    await session.closed;
  });

  it('[S-10, S-9] aborts callbacks, and later operations fail with the cause', async () => {
    const signals: AbortSignal[] = [];
    const { session, cli } = await start({
      hooks: {
        PreToolUse: (_, { signal }) => {
          signals.push(signal);
          return never();
        },
      },
    });
    cli.askHook('h1');
    await settle();
    cli.die(9);
    await session.closed;
    expect(signals[0]?.aborted).toBe(true);
    const cause = { name: 'ProcessError', exitCode: 9 };
    await expect(session.setModel('x')).rejects.toMatchObject({ name: 'SessionStoppedError', cause });
    await expect(session.send('x').text()).rejects.toMatchObject({ name: 'SessionStoppedError', cause });
    await expect(session.push({ type: 'user', message: { role: 'user', content: 'x' } })).rejects.toMatchObject({
      cause,
    });
    expect(await session.close()).toEqual({ exitCode: 9, signal: null, ended: 'by-itself' });
    expect(session.state).toBe('failed');
  });

  it('[S-10, S-12] detects the exit even while a slow reader has paused the pipe', async () => {
    const { session, cli } = await start({ limits: { bufferBytes: 1_000 } });
    const turn = session.send('one');
    const reader = turn[Symbol.asyncIterator]();
    const prompt = await cli.got('prompt one');
    cli.begin(prompt);
    await reader.next();
    for (let i = 0; i < 5; i++) {
      cli.say(assistant('x'.repeat(1_000)));
      await settle();
    }
    const waiting = session.send('two').result();
    cli.die(null, 'SIGKILL');
    await expect(waiting).rejects.toMatchObject({ name: 'SessionStoppedError', cause: { name: 'ProcessError' } });
    await session.closed;
    // The slow reader loses no output.
    const types: string[] = [];
    await expect(
      (async () => {
        for (let step = await reader.next(); !step.done; step = await reader.next()) types.push(step.value.type);
      })(),
    ).rejects.toMatchObject({ name: 'ProcessError' });
    expect(types).toEqual(['system', 'assistant', 'assistant', 'assistant', 'assistant', 'assistant']);
  });
});

describe('a stdout that ends or fails while the CLI runs', () => {
  it('[S-10] fails the session with a TransportError and ends the process', async () => {
    const { session, cli } = await start({ limits: { exitReadMs: 10 } });
    const turn = session.send('one').result();
    await cli.got('prompt one');
    cli.output.end();
    await expect(turn).rejects.toMatchObject({
      name: 'TransportError',
      message: expect.stringContaining('closed its stdout'),
    });
    expect(await session.closed).toMatchObject({ ended: 'terminated' });
    expect(session.state).toBe('failed');
  });

  it('[S-10] causes an error with the reason', async () => {
    const { session, cli } = await start({ limits: { exitReadMs: 10 } });
    const turn = session.send('one').result();
    await cli.got('prompt one');
    cli.output.fail(new TransportError('the connection to the far machine broke'));
    await expect(turn).rejects.toThrow('the connection to the far machine broke');
    expect(await session.closed).toMatchObject({ ended: 'terminated' });
  });
});

describe('a failed write of a session', () => {
  it('[S-13] rejects with a typed error; the session continues as long as the CLI runs', async () => {
    const { session, cli } = await start();
    const write = cli.write.bind(cli);
    cli.write = () => Promise.reject(new TransportError('The pipe is closed.'));
    await expect(session.setModel('x')).rejects.toMatchObject({ name: 'TransportError' });
    await expect(session.send('one').result()).rejects.toMatchObject({ name: 'TransportError' });
    await expect(session.push({ type: 'user', message: { role: 'user', content: 'x' } })).rejects.toMatchObject({
      name: 'TransportError',
    });
    cli.write = write;
    const turn = session.send('two');
    cli.reply(await cli.got('prompt two'), 'fine again');
    expect(await turn.text()).toBe('fine again');
  });

  it('[S-13, E-4] of an answer to the CLI is not reported to any caller', async () => {
    const { session, cli } = await start({ hooks: { PreToolUse: () => ({}) } });
    cli.write = () => Promise.reject(new TransportError('The pipe is closed.'));
    cli.askHook('h1');
    cli.ask('x', 'unknown');
    await settle();
    expect(session.state).toBe('running');
  });

  it('[S-13] does not split lines: every write is one whole line, in order', async () => {
    const { session, cli } = await start({ hooks: { PreToolUse: () => ({}) } });
    session
      .send('a line\nand another \u2028')
      .result()
      .catch(() => {});
    const model = session.setModel('x');
    cli.askHook('h1');
    await cli.answered('h1');
    await model;
    for (const line of cli.lines) expect(line).toMatch(/^[^\n]+\n$/);
    expect(cli.story).toEqual(['initialize', 'set_model', 'prompt a line\nand another \u2028', 'answer h1']);
  });
});
