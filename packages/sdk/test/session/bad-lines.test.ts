import { describe, expect, it } from 'vitest';
import { allow } from '../../src/callbacks/decisions.ts';
import { FakeCli, settle, start } from '../support/fake-cli.ts';
import { assistant, result } from '../support/say.ts';

const LIMITS = { maxLineBytes: 1_000 };
const BIG = 'x'.repeat(2_000);

describe('undecodable lines in a session', () => {
  it('[W-4, W-5] cause warnings, however many, and never end the session', async () => {
    const { session, cli, warnings } = await start();
    const turn = session.send('one');
    const prompt = await cli.got('prompt one');
    cli.begin(prompt);
    for (let i = 0; i < 20; i++) cli.print('not json\n');
    cli.output.push(Uint8Array.of(0x22, 0xff, 0x0a));
    cli.print('[1,2]\n"text"\n{"no":"type"}\nnull\n');
    cli.finish(prompt, 'still here');
    expect(await turn.text()).toBe('still here');
    expect(warnings).toHaveLength(25);
    expect(warnings[0]).toMatchObject({
      code: 'undecodable-line',
      context: { error: { code: 'json-decode', line: 'not json' } },
    });
    expect(warnings[20]).toMatchObject({ context: { error: { code: 'utf8-decode', bytes: [0x22, 0xff] } } });
    expect(warnings.slice(21)).toEqual(
      Array.from({ length: 4 }, () =>
        expect.objectContaining({ context: { error: expect.objectContaining({ code: 'unexpected-message' }) } }),
      ),
    );
    expect(session.state).toBe('running');
  });

  it('[W-4, C-10] are quoted without secrets', async () => {
    const { cli, warnings, events } = await start({ apiKey: 'sk-ant-very-secret-key' });
    cli.print('debug: key is sk-ant-very-secret-key\n');
    cli.say({ type: 'control_response', response: { note: 'sk-ant-very-secret-key' } });
    await settle();
    expect(warnings.map(({ code }) => code)).toEqual(['undecodable-line', 'malformed-control-frame']);
    expect(JSON.stringify([warnings, events])).not.toContain('very-secret');
  });

  it('[W-3] are not those above 1 MiB, which are reported once and read', async () => {
    const { session, cli, warnings } = await start();
    const turn = session.send('one');
    const prompt = await cli.got('prompt one');
    cli.begin(prompt);
    const text = 'x'.repeat(2_000_000);
    const line = `${JSON.stringify(result({ result: text, user_message_uuids: [prompt.uuid] }))}\n`;
    for (let from = 0; from < line.length; from += 100_000) cli.print(line.slice(from, from + 100_000));
    expect(await turn.text()).toBe(text);
    expect(warnings.map(({ code, context }) => [code, context])).toEqual([
      ['long-line', { bytes: 1_100_000, limit: 16 * 1024 * 1024 }],
    ]);
  });

  it('[W-1] are not caused by frames that are cut anywhere', async () => {
    const { session, cli } = await start();
    const turn = session.send('one');
    const prompt = await cli.got('prompt one');
    cli.begin(prompt);
    const line = Buffer.from(
      `${JSON.stringify(result({ result: 'grüße 🚣', user_message_uuids: [prompt.uuid] }))}\r\n`,
    );
    for (const byte of line) cli.output.push(Uint8Array.of(byte));
    expect(await turn.text()).toBe('grüße 🚣');
  });

  it('[W-6] are not unknown messages, which are passed on with one warning per type', async () => {
    const { session, cli, warnings } = await start();
    const turn = session.send('one');
    const prompt = await cli.got('prompt one');
    cli.say({ type: 'novelty', a: 1 }, { type: 'novelty', a: 2 }, { type: 'surprise' });
    cli.finish(prompt);
    const { messages: items } = await turn.collect();
    expect(items.map(({ type }) => type)).toEqual(['novelty', 'novelty', 'surprise', 'result']);
    expect(warnings.map(({ code, context }) => [code, context.type])).toEqual([
      ['unknown-message-type', 'novelty'],
      ['unknown-message-type', 'surprise'],
    ]);
  });

  it('[W-6] are not host-only frames, which are not passed on', async () => {
    const { session, cli } = await start();
    const messages = session.messages();
    cli.say(
      { type: 'system', subtype: 'session_state_changed', state: 'idle', sdk_host_only: true },
      { type: 'system', subtype: 'status' },
    );
    expect((await messages.next()).value).toMatchObject({ message: { subtype: 'status' } });
  });
});

describe('lines above limits.maxLineBytes in a session', () => {
  it('[W-3] are dropped with a warning that contains their size; later lines are read', async () => {
    const { session, cli, warnings } = await start({ limits: LIMITS });
    const turn = session.send('one');
    const prompt = await cli.got('prompt one');
    cli.begin(prompt);
    const line = JSON.stringify(assistant(BIG));
    cli.print(`${line}\n`);
    cli.finish(prompt, 'after it');
    const { messages: items } = await turn.collect();
    expect(items.map(({ type }) => type)).toEqual(['command_lifecycle', 'system', 'result']);
    expect(warnings).toMatchObject([{ code: 'line-too-long', context: { bytes: line.length, limit: 1_000 } }]);
  });

  it('[W-3] cause a hook request to be answered by its failure policy: a guard blocks', async () => {
    const ran: string[] = [];
    const { cli } = await start({
      limits: LIMITS,
      hooks: {
        PreToolUse: () => {
          ran.push('pre');
        },
        PostToolUse: () => {
          ran.push('post');
        },
      },
    });
    cli.askHook('h1', 'PreToolUse', 'hook_0', { tool_input: { content: BIG } });
    cli.askHook('h2', 'PostToolUse', 'hook_1', { tool_response: BIG });
    expect(await cli.answered('h1')).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
    expect(await cli.answered('h2')).toEqual({});
    expect(ran).toEqual([]);
  });

  it('[W-3] cause a permission request to be denied and an unknown request to be refused', async () => {
    const { cli } = await start({ limits: LIMITS, canUseTool: () => allow() });
    cli.askPermission('p1', 'Write', { content: BIG });
    cli.ask('q1', 'novelty', { content: BIG });
    expect(await cli.answered('p1')).toMatchObject({ behavior: 'deny', message: expect.any(String) });
    expect(await cli.got('answer q1')).toMatchObject({ response: { error_code: 'unsupported_request' } });
  });

  it('[W-3] fail their turn if they are its result, and the next turn runs', async () => {
    const { session, cli } = await start({ limits: LIMITS });
    const turn = session.send('one');
    const next = session.send('two');
    const prompt = await cli.got('prompt one');
    cli.begin(prompt);
    cli.finish(prompt, BIG);
    await expect(turn.result()).rejects.toMatchObject({ name: 'ResultLostError', bytes: expect.any(Number) });
    cli.reply(await cli.got('prompt two'), 'fine');
    expect(await next.text()).toBe('fine');
  });

  it('[W-3] fail no turn if they are a result of background work', async () => {
    const cli = new FakeCli({ set_model: () => {} });
    const { session } = await start({ limits: LIMITS, model: 'a' }, cli);
    const turn = session.send('one', { model: 'b' });
    await cli.got('set_model');
    cli.say(result({ result: BIG }));
    await settle();
    cli.succeed('req_2');
    cli.reply(await cli.got('prompt one'), 'fine');
    expect(await turn.text()).toBe('fine');
  });

  it('[W-3] are never held beyond the limit if they do not end', async () => {
    const { session, cli, warnings } = await start({ limits: LIMITS });
    for (let i = 0; i < 1_000; i++) cli.print('y'.repeat(10_000));
    await settle();
    expect(warnings).toEqual([]);
    cli.print('\n');
    const turn = session.send('one');
    cli.reply(await cli.got('prompt one'), 'fine');
    expect(await turn.text()).toBe('fine');
    expect(warnings).toMatchObject([{ code: 'line-too-long', context: { bytes: 10_000_000 } }]);
  });
});
