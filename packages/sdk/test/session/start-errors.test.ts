import { describe, expect, it } from 'vitest';
import { SpawnError } from '../../src/errors/start.ts';
import { openSession } from '../../src/supervise/open-session.ts';
import { FakeCli, open, refusal, settle, silence, start } from '../support/fake-cli.ts';
import { result } from '../support/say.ts';

/** Text on the CLI's stderr. */
const mutter = (cli: FakeCli, text: string): void => cli.errorOutput.push(Buffer.from(text));

describe('a CLI that refuses to start a session', () => {
  it('[S-1, S-2] an error answer rejects with its message, even after a request was served', async () => {
    const cli = new FakeCli({ initialize: silence });
    const { session } = open(cli, { hooks: { SessionStart: () => ({}) } });
    await cli.got('initialize');
    cli.askHook('h1', 'SessionStart');
    await cli.answered('h1');
    cli.refuse('req_1', 'hooks: expected an object');
    await expect(session.ready).rejects.toMatchObject({
      name: 'InitializationError',
      message: expect.stringContaining('hooks: expected an object'),
    });
    expect(cli.gone).toBe(true);
  });

  it.each([
    ['hooks: expected an object', 'hooks: expected an object'],
    ['The hooks are invalid.', 'The hooks are invalid'],
    ['', 'it gave no reason'],
  ])('[S-1] the error quotes the words of the CLI once: %j', async (said, reason) => {
    const cli = new FakeCli({ initialize: silence });
    const { session } = open(cli);
    await cli.got('initialize');
    cli.refuse('req_1', said);
    await expect(session.ready).rejects.toMatchObject({
      message: `The CLI refused to start the session: ${reason}. Check the options that the message names.`,
    });
  });

  it('[S-1] an exit rejects immediately with the code and the output that arrives after it', async () => {
    const cli = new FakeCli({ initialize: silence });
    const { session, events } = open(cli);
    const failed = expect(session.ready).rejects.toMatchObject({
      name: 'CliExitedDuringInitError',
      exitCode: 1,
      signal: null,
      stderrTail: "error: unknown option '--nope'\n",
      message: expect.stringMatching(/exited with code 1 .*unknown option '--nope'.* too old/s),
    });
    await cli.got('initialize');
    cli.output.end();
    cli.exit(1);
    await settle();
    mutter(cli, "error: unknown option '--nope'\n");
    cli.errorOutput.end();
    await failed;
    expect(events.slice(-3)).toMatchObject([
      { type: 'state-changed', state: 'failed' },
      { type: 'exit', exitCode: 1, signal: null, ended: 'by-itself' },
      { type: 'failed', error: { code: 'cli-exited-during-init', exitCode: 1 } },
    ]);
  });

  it('[S-1] what it printed on stdout is in the error of the timeout, with what to do', async () => {
    const cli = new FakeCli({ initialize: silence });
    const { session } = open(cli, { limits: { startTimeoutMs: 200 }, apiKey: 'my-own-key-0123456789' });
    await cli.got('initialize');
    mutter(cli, 'a note\n');
    cli.print('Opening browser…\nWaiting for login at https://claude.ai/oauth?key=my-own-key-0123456789\n');
    const error = await session.ready.catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'initialization-timeout',
      stderrTail: 'a note\n',
      message: expect.stringMatching(
        /It printed: a note\n+Opening browser…\nWaiting for login at https:\/\/claude\.ai\/oauth\?key=\[redacted\]\. The CLI may not be logged in: run claude and log in/,
      ),
    });
  });

  it('[S-1] what it printed on stdout is in the error of its exit, with what to do', async () => {
    const cli = new FakeCli({ initialize: silence });
    const { session } = open(cli);
    await cli.got('initialize');
    cli.print('Not logged in · Please run /login\n');
    cli.die(1);
    await expect(session.ready).rejects.toMatchObject({
      code: 'cli-exited-during-init',
      message: expect.stringMatching(/It printed: Not logged in · Please run \/login\. The CLI may not be logged in/),
    });
  });

  it('[S-1] an exit with 1 and without a word has the hint to log in', async () => {
    const cli = new FakeCli({ initialize: silence });
    const { session } = open(cli);
    await cli.got('initialize');
    cli.die(1);
    await expect(session.ready).rejects.toMatchObject({ message: expect.stringMatching(/printed nothing.*logged in/) });
  });

  it('[S-1] an exit by a signal', async () => {
    const cli = new FakeCli({ initialize: silence });
    const { session } = open(cli);
    await cli.got('initialize');
    cli.die(null, 'SIGKILL');
    await expect(session.ready).rejects.toMatchObject({
      name: 'CliExitedDuringInitError',
      exitCode: null,
      signal: 'SIGKILL',
    });
  });

  it('[S-1] a bad resume is reported by what the CLI says in its result', async () => {
    const cli = new FakeCli({ initialize: silence });
    const { session } = open(cli, { resume: 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee' });
    await cli.got('initialize');
    cli.say(
      result({
        subtype: 'error_during_execution',
        is_error: true,
        errors: ['No conversation found with session ID: a', 7],
      }),
    );
    cli.die(1);
    await expect(session.ready).rejects.toMatchObject({
      name: 'CliExitedDuringInitError',
      exitCode: 1,
      message: expect.stringContaining('It printed: No conversation found with session ID: a'),
    });
  });

  it('[S-1, S-13] if the CLI does not read, the exit is reported, not the failed write', async () => {
    const cli = new FakeCli();
    cli.start = async () => cli.die(127);
    const { session } = open(cli);
    await expect(session.ready).rejects.toMatchObject({ name: 'CliExitedDuringInitError', exitCode: 127 });
  });
});

describe('a process that cannot be started', () => {
  it('[S-1] the transport’s error is the start error', async () => {
    const cli = new FakeCli();
    cli.start = async () => {
      cli.die(null);
      throw new SpawnError('no such program', { reason: 'not-found', path: '/x' });
    };
    const { session, events } = open(cli);
    await expect(session.ready).rejects.toMatchObject({ name: 'SpawnError', reason: 'not-found' });
    expect(events).toMatchObject([
      { type: 'state-changed', state: 'failed' },
      { type: 'failed', error: { name: 'SpawnError', code: 'spawn', reason: 'not-found' } },
    ]);
  });

  it('[S-1, E-3] an error that is not one of the SDK is the cause of the start error, which is plain JSON in the event', async () => {
    const cli = new FakeCli();
    cli.start = async () => {
      cli.die(null);
      throw new TypeError('a bug in a transport');
    };
    const { session, events } = open(cli);
    await expect(session.ready).rejects.toMatchObject({
      code: 'spawn',
      reason: 'adapter',
      cause: new TypeError('a bug in a transport'),
    });
    expect(events.at(-1)).toMatchObject({
      type: 'failed',
      error: { code: 'spawn', cause: { name: 'TypeError', message: 'a bug in a transport' } },
    });
    expect(JSON.parse(JSON.stringify(events))).toEqual(events);
  });

  it('[S-1] a transport factory that throws', async () => {
    const session = openSession({
      transport: () => {
        throw new Error('no transport today');
      },
    });
    await expect(session.ready).rejects.toThrow('no transport today');
    expect(await session.closed).toEqual({ exitCode: null, signal: null, ended: 'by-itself' });
  });

  it('[O-4, S-15] bad options make ready, turns and operations fail; nothing is started', async () => {
    const cli = new FakeCli();
    const { session } = open(cli, { maxTurns: -1, model: '' });
    const turn = session.send('hi');
    const operation = session.setModel('opus');
    await expect(session.ready).rejects.toMatchObject({
      name: 'OptionsError',
      problems: [{ path: 'maxTurns' }, { path: 'model' }],
    });
    await expect(turn.result()).rejects.toMatchObject({ name: 'OptionsError' });
    await expect(operation).rejects.toMatchObject({ name: 'OptionsError' });
    expect(session.state).toBe('failed');
    expect(cli.request).toBeUndefined();
  });
});

describe('a signal', () => {
  it('[S-1] prevents the start if it is aborted already', async () => {
    const cli = new FakeCli();
    const { session } = open(cli, { signal: AbortSignal.abort(new Error('too late')) });
    await expect(session.ready).rejects.toMatchObject({ name: 'AbortError', cause: { message: 'too late' } });
    expect(cli.request).toBeUndefined();
    expect(session.state).toBe('failed');
  });

  it('[S-1] aborts the start, and the process is gone', async () => {
    const controller = new AbortController();
    const cli = new FakeCli({ initialize: silence });
    const { session } = open(cli, { signal: controller.signal });
    await cli.got('initialize');
    controller.abort(new Error('enough'));
    await expect(session.ready).rejects.toMatchObject({ name: 'AbortError', cause: { message: 'enough' } });
    expect(cli.story).toEqual(['initialize', 'terminate']);
    expect(session.state).toBe('failed');
  });

  it('[S-1, S-9] later stops the session', async () => {
    const controller = new AbortController();
    const { session, cli, events } = await start({ signal: controller.signal });
    controller.abort();
    expect(await session.closed).toEqual({ exitCode: 0, signal: null, ended: 'by-itself' });
    expect(cli.story).toEqual(['initialize', 'end_session']);
    expect(session.state).toBe('stopped');
    expect(events.at(-1)).toMatchObject({ type: 'stopped' });
  });

  it('[S-1] shared by many sessions raises no warning, and keeps no listener of one that has ended', async () => {
    const warned: Error[] = [];
    const note = (warning: Error): void => void warned.push(warning);
    process.on('warning', note);
    const controller = new AbortController();
    const stages = await Promise.all(Array.from({ length: 20 }, () => start({ signal: controller.signal })));
    await Promise.all(stages.map(({ session }) => session.close()));
    await settle();
    process.off('warning', note);
    expect(warned).toEqual([]);
    controller.abort();
    expect(stages.every(({ cli }) => cli.story.length === 2)).toBe(true);
  });
});

describe('a transport that rejects with a value without text', () => {
  it('[S-1, E-4] fails the start with an error', async () => {
    const cli = new FakeCli();
    cli.start = () => Promise.reject(Object.create(null));
    const { session } = open(cli);
    await expect(session.ready).rejects.toThrow('cannot be shown');
    await session.close();
  });
});

describe('priority', () => {
  it('[S-1] the first failure is reported, not what followed from it', async () => {
    const cli = new FakeCli({ initialize: refusal('bad hooks') });
    const { session } = open(cli);
    await expect(session.ready).rejects.toMatchObject({ name: 'InitializationError' });
    await expect(session.setModel('x')).rejects.toMatchObject({
      name: 'SessionStoppedError',
      cause: { name: 'InitializationError' },
    });
    await expect(session.send('x').result()).rejects.toMatchObject({
      name: 'SessionStoppedError',
      cause: { name: 'InitializationError' },
    });
  });
});
