import { describe, expect, it } from 'vitest';
import { query } from '../../src/query/query.ts';
import { FakeCli, open, refusal, settle, start } from '../support/fake-cli.ts';
import { inMemory } from '../support/memory-transport.ts';
import { assistant } from '../support/say.ts';

const KEY = 'my-own-key-0123456789';

/** Bugs found by the fault scenarios and the fuzzer, as seen by a user. */
describe('a regression found by the fault scenarios or the fuzzer', () => {
  it('[W-4, O-7] a query with a hook fails at the fifth bad line, like one without a hook', async () => {
    const cli = new FakeCli();
    const stream = query('one', { transport: cli, hooks: { Stop: () => undefined }, apiKey: KEY });
    await cli.got('prompt one');
    cli.print('a\nb\n');
    cli.say(assistant('still fine'));
    cli.print(`c\nd\n[]\ne\nf\nwith ${KEY}\n`);
    const { items, errors, terminalError } = await stream.collect();
    expect(items.map(({ kind }) => kind)).toEqual([
      ...['error', 'error', 'message'],
      ...['error', 'error', 'error', 'error', 'error'],
    ]);
    expect(errors.map(({ code }) => code)).toEqual([
      ...['json-decode', 'json-decode', 'json-decode', 'json-decode'],
      ...['unexpected-message', 'json-decode', 'json-decode'],
    ]);
    expect(terminalError).toMatchObject({ code: 'too-many-decode-errors', count: 5 });
    expect(JSON.stringify(terminalError)).not.toContain(KEY);
    cli.die();
    await stream.close();
  });

  it('[W-4, C-10] the API key is not in the message of TooManyDecodeErrors', async () => {
    const { stream, transport } = inMemory({ apiKey: KEY });
    for (let line = 0; line < 5; line += 1) transport.print(`connecting with ${KEY}\n`);
    transport.end();
    const { terminalError } = await stream.collect();
    expect(terminalError).toMatchObject({ message: expect.stringContaining('connecting with [redacted]') });
    expect(`${terminalError} ${JSON.stringify(terminalError)}`).not.toContain(KEY);
  });

  it('[S-1, C-10] the API key is not in the error of a handshake that was refused with it', async () => {
    const { session } = open(new FakeCli({ initialize: refusal(`no access with ${KEY}`) }), { apiKey: KEY });
    const error = await session.ready.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message: expect.stringContaining('no access with [redacted]') });
    expect(JSON.stringify(error)).not.toContain(KEY);
  });

  it('[X-2, C-10] the API key is not in the error of an operation that was refused with it', async () => {
    const { session } = await start({ apiKey: KEY }, new FakeCli({ set_model: refusal(`not with ${KEY}`) }));
    const error = await session.setModel('x').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message: expect.stringContaining('not with [redacted]') });
    expect(JSON.stringify(error)).not.toContain(KEY);
  });

  it('[H-7, C-10] the API key is not in the warning about a hook that threw it', async () => {
    const { cli, warnings, events } = await start({
      apiKey: KEY,
      hooks: {
        PreToolUse: () => {
          throw new Error(`401 for ${KEY}`);
        },
      },
    });
    cli.askHook('h1');
    await cli.answered('h1');
    expect(warnings.at(-1)).toMatchObject({ code: 'hook-failed', context: { cause: 'Error: 401 for [redacted]' } });
    expect(JSON.stringify([warnings, events])).not.toContain(KEY);
  });

  it('[W-6] a session does not report a new kind of system message as the unknown type "system"', async () => {
    const { session, cli, warnings } = await start();
    const turn = session.send('one');
    const prompt = await cli.got('prompt one');
    cli.begin(prompt);
    cli.say({ type: 'system', subtype: 'from_the_future' });
    cli.finish(prompt);
    const { messages: items } = await turn.collect();
    await settle();
    expect(items).toContainEqual({ type: 'system', subtype: 'from_the_future' });
    expect(warnings).toEqual([]);
  });
});
