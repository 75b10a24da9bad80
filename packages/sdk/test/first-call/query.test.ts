import { afterEach, describe, expect, it, vi } from 'vitest';
import { allow, query } from '../../src/index.ts';
import type { AgentOptions } from '../../src/options/option-types.ts';
import { FakeCli } from '../support/fake-cli.ts';
import { MemoryTransport } from '../support/memory-transport.ts';
import { assistant, INIT, result } from '../support/say.ts';

/** A CLI that writes all its messages immediately and exits. */
class Talker extends MemoryTransport {
  override async start(request: Parameters<MemoryTransport['start']>[0]): Promise<void> {
    await super.start(request);
    this.say(INIT, assistant('hello'), result({ result: 'hello' }));
    this.output.end();
    this.errorOutput.end();
    this.exit();
  }
}

afterEach(() => void vi.unstubAllEnvs());

describe('the first query of a process', () => {
  it('[Q-1] is immediately in the state streaming, without any data', async () => {
    const stream = query('hi', { transport: new Talker() });
    expect([stream.state, stream.sessionId, stream.results, stream.warnings]).toEqual(['streaming', undefined, [], []]);
    const types: string[] = [];
    for await (const message of stream) types.push(message.type);
    expect(types).toEqual(['system', 'assistant', 'result']);
    expect([stream.state, stream.results.length]).toEqual(['closed', 1]);
    expect(stream.sessionId).toBe(INIT.session_id);
    expect(await stream.closed).toMatchObject({ exitCode: 0 });
  });

  it('[Q-9, Q-10] memoises its promises, and gives precedence to a loop of the same tick', async () => {
    const stream = query('hi', { transport: new Talker() });
    expect(stream.result()).toBe(stream.result());
    expect(stream.text()).toBe(stream.text());
    const seen: string[] = [];
    for await (const item of stream.items()) seen.push(item.kind);
    expect(seen).toEqual(['message', 'message', 'message']);
    expect(await stream.text()).toBe('hello');
    await expect(stream.output()).rejects.toMatchObject({ code: 'structured-output' });
    await expect(stream[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'stream-consumed' });
  });

  it('[Q-9] collects everything including errors with collect()', async () => {
    const gathered = await query('hi', { transport: new Talker() }).collect();
    expect(gathered.messages.map(({ type }) => type)).toEqual(['system', 'assistant', 'result']);
    expect((await query('', {}).collect()).terminalError).toMatchObject({ code: 'options' });
  });

  it('[O-4, Q-1] reports invalid options through its promises, never as an unhandled rejection', async () => {
    const stream = query('hi', { maxTurns: -1 });
    void stream.result();
    await expect(stream.started).rejects.toMatchObject({ code: 'options' });
    await expect(stream.closed).resolves.toMatchObject({ exitCode: null });
  });

  it('[Q-1] uses the options and the environment at the time of the call', async () => {
    vi.stubEnv('COXSWAIN_MODEL', 'at-the-call');
    const transport = new Talker();
    const options: { -readonly [K in keyof AgentOptions]: AgentOptions[K] } = { transport, effort: 'low' };
    const stream = query('hi', options);
    vi.stubEnv('COXSWAIN_MODEL', 'later');
    options.effort = 'high';
    await stream.result();
    expect(transport.request?.argv.join(' ')).toMatch(/--model at-the-call.*--effort low/);
  });

  it('[Q-1, O-5, O-7] uses the options and the environment of the call if it has callbacks, and warns once about each option', async () => {
    vi.stubEnv('TENANT', 'at the call');
    vi.stubEnv('COXSWAIN_MODEL', 'at-the-call');
    const cli = new FakeCli();
    const stream = query('hi', {
      ...{ transport: cli, canUseTool: () => allow(), fallbackModel: 'at-the-call' },
      ...{ resume: '7c9e6679-7425-40de-944b-e07fc1f90ae7', continue: true },
    });
    vi.stubEnv('TENANT', 'later');
    vi.stubEnv('COXSWAIN_MODEL', 'later');
    cli.reply(await cli.got('prompt hi'));
    await stream.result();
    expect(cli.request?.env.TENANT).toBe('at the call');
    expect(cli.request?.argv.join(' ')).toContain('--model at-the-call');
    expect(stream.warnings.map(({ code }) => code)).toEqual(['option-ignored', 'fallback-equals-model']);
  });

  it('[Q-14] can be closed and abandoned before it has started', async () => {
    const transport = new MemoryTransport();
    const stream = query('hi', { transport });
    await stream.close();
    expect(stream.state).toBe('closed');
    await expect(stream.result()).rejects.toMatchObject({ code: 'no-result' });

    const left = query('hi', { transport: new MemoryTransport() })[Symbol.asyncIterator]();
    expect(await left.return?.()).toEqual({ value: undefined, done: true });
    expect(await left.next()).toEqual({ value: undefined, done: true });
  });
});
