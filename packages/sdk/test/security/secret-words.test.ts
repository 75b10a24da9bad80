import { describe, expect, it } from 'vitest';
import type { AgentOptions, Logger } from '../../src/options/option-types.ts';
import { refusing, open as supervise } from '../restart/stage.ts';
import { FakeCli, start } from '../support/fake-cli.ts';

/** Words of the protocol and of this library, each the value of a secret variable. */
const WORDS = [
  ...['assistant', 'result', 'system', 'control_response', 'success', 'session', 'conversation', 'running', 'started'],
  ...['hook-failed', 'PreToolUse', 'ControlRequestError', 'control-request', 'stream-json', 'message'],
];
const options: AgentOptions = {
  mcpServers: { a: { command: 'x', env: Object.fromEntries(WORDS.map((word, n) => [`V${n}`, word])) } },
};

describe('secrets that equal words of the protocol', () => {
  it('[C-10] do not change a session, the names of its events or its log', async () => {
    const logged: { type?: unknown; name?: unknown; code?: unknown }[] = [];
    const note = (fields: object): void => void logged.push(fields);
    const logger: Logger = { trace: note, debug: note, info: note, warn: note, error: note };
    const guard = (): never => {
      throw new Error('the guard broke');
    };
    const { session, cli, events, warnings } = await start({ ...options, logger, hooks: { PreToolUse: guard } });
    cli.askHook('h1');
    await cli.answered('h1');
    const failed = warnings.find(({ code }) => code === 'hook-failed');
    expect(failed?.context).toMatchObject({ event: 'PreToolUse', cause: 'Error: the guard broke' });
    const turn = session.send('one');
    cli.reply(await cli.got('prompt one'), 'a message of the assistant');
    expect(await turn.text()).toBe('a message of the assistant');
    expect(session.state).toBe('running');
    cli.answers.set_model = (asked, id) => asked.refuse(id, 'no');
    await expect(session.setModel('x')).rejects.toMatchObject({ name: 'ControlRequestError', code: 'control-request' });
    await session.close();
    expect(logged.flatMap(({ type }) => type ?? [])).toEqual(
      events.map(({ type }) => type).filter((type) => type !== 'warning'),
    );
    expect(logged.flatMap(({ code }) => code ?? [])).toEqual(warnings.map(({ code }) => code));
  });

  it('[C-10, A-2] do not prevent a restarted session from continuing its conversation', async () => {
    const { session, cli } = supervise(options, undefined, (nth) =>
      nth === 2 ? refusing('No conversation found') : new FakeCli(),
    );
    const first = await cli(1);
    await session.ready;
    const turn = session.send('one');
    first.begin(await first.got('prompt one'));
    first.die(null, 'SIGKILL');
    await turn.result().catch(() => {});
    const third = await cli(3);
    const next = session.send('two');
    third.reply(await third.got('prompt two'), 'second answer');
    expect(await next.text()).toBe('second answer');
  });

  it('[C-10, Q-5] do not change the hint about a CLI that exited', async () => {
    const cli = new FakeCli();
    const { session } = await start({ ...options, env: { MY_TOKEN: 'unknown option' } }, cli);
    cli.errorOutput.push(Buffer.from("error: unknown option '--x'\n"));
    cli.die(1);
    await session.closed;
    const failure = await session.setModel('x').catch((error: unknown) => error);
    expect(failure).toMatchObject({
      cause: {
        hint: expect.stringContaining('does not support one of its flags'),
        stderrTail: expect.stringContaining('[redacted]'),
      },
    });
  });
});
