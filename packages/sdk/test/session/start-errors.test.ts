import { describe, expect, it } from 'vitest';
import { SpawnError } from '../../src/errors/start.ts';
import { openSession } from '../../src/restart/open-session.ts';
import { FakeCli, open, refusal, settle, silence, start } from '../support/fake-cli.ts';
import { result } from '../support/say.ts';

/** Writes a text to the CLI's stderr. */
const mutter = (cli: FakeCli, text: string): void => cli.errorOutput.push(Buffer.from(text));

describe('a CLI that refuses to start a session', () => {
  it('[S-1, S-2] with an error answer rejects with its message, even after another request was served', async () => {
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
    expect(cli.hasExited).toBe(true);
  });

  it.each([
    ['hooks: expected an object', 'hooks: expected an object'],
    ['The hooks are invalid.', 'The hooks are invalid'],
    ['', 'it gave no reason'],
  ])('[S-1] is quoted once in the error: %j', async (text, reason) => {
    const cli = new FakeCli({ initialize: silence });
    const { session } = open(cli);
    await cli.got('initialize');
    cli.refuse('req_1', text);
    await expect(session.ready).rejects.toMatchObject({
      message: `The CLI refused to start the session: ${reason}. Check the options that the message names.`,
    });
  });

  it('[S-1] by an exit rejects immediately with the code and the output that arrives after it', async () => {
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

  it('[S-1] by a timeout is quoted from stdout in the error, with advice', async () => {
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

  it('[S-1] by an exit is quoted from stdout in the error, with advice', async () => {
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

  it('[S-1] by exit 1 without output causes the hint to log in', async () => {
    const cli = new FakeCli({ initialize: silence });
    const { session } = open(cli);
    await cli.got('initialize');
    cli.die(1);
    await expect(session.ready).rejects.toMatchObject({ message: expect.stringMatching(/printed nothing.*logged in/) });
  });

  it('[S-1] by a signal rejects with the signal', async () => {
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

  it('[S-1] because of an invalid resume is quoted from its result', async () => {
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

  it('[S-1, S-13] without reading its stdin is reported by its exit, not by the failed write', async () => {
    const cli = new FakeCli();
    cli.start = async () => cli.die(127);
    const { session } = open(cli);
    await expect(session.ready).rejects.toMatchObject({ name: 'CliExitedDuringInitError', exitCode: 127 });
  });
});

describe('a process that cannot be started', () => {
  it('[S-1] rejects with the error of the transport', async () => {
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

  it('[S-1, E-3] rejects with a foreign error as the cause, and the event is plain JSON', async () => {
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

  it('[S-1] rejects if the transport factory throws', async () => {
    const session = openSession({
      transport: () => {
        throw new Error('no transport today');
      },
    });
    await expect(session.ready).rejects.toThrow('no transport today');
    expect(await session.closed).toEqual({ exitCode: null, signal: null, ended: 'by-itself' });
  });

  it('[O-4, S-15] rejects ready, turns and operations for invalid options without starting anything', async () => {
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

describe('the signal of a session', () => {
  it('[S-1] prevents the start if it is already aborted', async () => {
    const cli = new FakeCli();
    const { session } = open(cli, { signal: AbortSignal.abort(new Error('too late')) });
    await expect(session.ready).rejects.toMatchObject({ name: 'AbortError', cause: { message: 'too late' } });
    expect(cli.request).toBeUndefined();
    expect(session.state).toBe('failed');
  });

  it('[S-1] aborts the start and ends the process', async () => {
    const controller = new AbortController();
    const cli = new FakeCli({ initialize: silence });
    const { session } = open(cli, { signal: controller.signal });
    await cli.got('initialize');
    controller.abort(new Error('enough'));
    await expect(session.ready).rejects.toMatchObject({ name: 'AbortError', cause: { message: 'enough' } });
    expect(cli.story).toEqual(['initialize', 'terminate']);
    expect(session.state).toBe('failed');
  });

  it('[S-1, S-9] stops the session if it is aborted later', async () => {
    const controller = new AbortController();
    const { session, cli, events } = await start({ signal: controller.signal });
    controller.abort();
    expect(await session.closed).toEqual({ exitCode: 0, signal: null, ended: 'by-itself' });
    expect(cli.story).toEqual(['initialize', 'end_session']);
    expect(session.state).toBe('stopped');
    expect(events.at(-1)).toMatchObject({ type: 'stopped' });
  });

  it('[S-1] can be shared by many sessions without a warning, and keeps no listener of an ended one', async () => {
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

describe('a transport that rejects with a value that cannot be converted to text', () => {
  it('[S-1, E-4] fails the start with an error', async () => {
    const cli = new FakeCli();
    cli.start = () => Promise.reject(Object.create(null));
    const { session } = open(cli);
    await expect(session.ready).rejects.toThrow('cannot be shown');
    await session.close();
  });
});

describe('several failures of a start', () => {
  it('[S-1] are reported by the first one, not by its consequences', async () => {
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
