import { getEventListeners } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TransportError } from 'coxswain/errors';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { AbortError, createSdkMcpServer, type Query, query, type SDKUserMessage } from '../src/sdk.ts';
import {
  collect,
  FakeProcess,
  INIT,
  inputWithFinally,
  openInput,
  result,
  stage,
  state,
} from './support/fake-process.ts';

function thrownBy(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

describe('a text prompt', () => {
  it('[U-2] is written immediately in the format of the official SDK, and its answer is read to the end', async () => {
    const { cli, query: running } = stage('Hello.');
    const reading = collect(running);
    expect(await cli.prompt()).toEqual({
      type: 'user',
      session_id: '',
      message: { role: 'user', content: [{ type: 'text', text: 'Hello.' }] },
      parent_tool_use_id: null,
    });
    expect(cli.frames[0]?.request?.subtype).toBe('initialize');
    cli.say(state('running'), INIT, result());
    expect(cli.inputEnded).toBe(false);
    cli.say(state('idle'));
    await cli.closedInput();
    expect(await reading).toEqual({ types: ['system', 'result'], thrown: undefined });
    expect(await running.next()).toEqual({ done: true, value: undefined });
  });

  it('[U-2] ends with the result if the CLI does not report its state', async () => {
    const { cli, query: running } = stage();
    await cli.prompt();
    cli.say(result());
    await cli.closedInput();
    expect((await collect(running)).thrown).toBeUndefined();
  });

  it('[U-2] keeps stdin open while prompts wait in the CLI', async () => {
    const { cli, query: running } = stage();
    await cli.prompt();
    cli.say(state('running'), result({ queued_turn_count: 1 }), state('idle'));
    await running.next();
    expect(cli.inputEnded).toBe(false);
    cli.say(state('running'), result(), state('idle'));
    await cli.closedInput();
  });

  it('[U-2] runs to the end without a reader, and can be read later', async () => {
    const { cli, query: running } = stage();
    await cli.prompt();
    cli.say(INIT, result());
    await cli.closedInput();
    await new Promise((resolve) => cli.once('exit', resolve));
    expect((await collect(running)).types).toEqual(['system', 'result']);
  });
});

describe('an iterable prompt', () => {
  it('[U-2] is passed on verbatim, and stdin is closed when it ends', async () => {
    const { cli, query: running } = stage(
      (async function* () {
        const message = { role: 'user' as const, content: 'One.' };
        yield { type: 'user' as const, message, parent_tool_use_id: null, priority: 'now' as const, timestamp: 't' };
      })(),
    );
    expect(await cli.prompt()).toEqual({
      type: 'user',
      message: { role: 'user', content: 'One.' },
      parent_tool_use_id: null,
      priority: 'now',
      timestamp: 't',
    });
    await cli.closedInput();
    running.close();
  });

  it('[U-2] has every frame marked by verbatimPrompts', async () => {
    const { cli } = stage(openInput('One.').stream, { verbatimPrompts: true });
    expect(await cli.prompt()).toMatchObject({ client_composed: true });
  });

  it('[U-2] with callbacks keeps stdin open until the run has ended', async () => {
    const input = openInput('One.');
    const { cli } = stage(input.stream, { canUseTool: async () => null });
    await cli.prompt();
    cli.say(state('running'));
    input.end();
    cli.ask('p1', 'request_user_dialog');
    cli.ask('p2', 'elicitation');
    await cli.answered('p2');
    expect(cli.inputEnded).toBe(false);
    cli.say(result(), state('idle'));
    await cli.closedInput();
  });

  it('[U-4] with a tool server that was added later keeps stdin open until the run has ended', async () => {
    const input = openInput();
    const { cli, query: running } = stage(input.stream);
    await running.setMcpServers({ boat: createSdkMcpServer({ name: 'boat' }) });
    input.send('One.');
    input.end();
    await cli.prompt();
    cli.say(state('running'));
    cli.ask('m1', 'mcp_message', { server_name: 'boat', message: { jsonrpc: '2.0', id: 1, method: 'ping' } });
    await cli.answered('m1');
    expect(cli.inputEnded).toBe(false);
    cli.say(result(), state('idle'));
    await cli.closedInput();
  });

  it('[U-2] may stay open: the loop waits after a result', async () => {
    const input = openInput('One.');
    const { cli, query: running } = stage(input.stream);
    await cli.prompt();
    cli.say(result(), state('idle'));
    await running.next();
    input.send('Two.');
    await cli.prompt(2);
    expect(cli.inputEnded).toBe(false);
    cli.say(result());
    input.end();
    await cli.closedInput();
    expect((await collect(running)).types).toEqual(['result']);
  });

  it('[U-6] ends the query if it throws during a turn: the CLI is asked to exit, and the exception is the cause', async () => {
    const input = openInput('One.');
    const cli = new FakeProcess();
    cli.ignores.add('EOF');
    const { query: running } = stage(input.stream, { canUseTool: async () => null }, cli);
    await cli.prompt();
    cli.say(state('running'));
    const broke = new Error('the input broke');
    input.fail(broke);
    const { types, thrown } = await collect(running);
    expect(types).not.toContain('result');
    expect(thrown).toBeInstanceOf(AbortError);
    expect(thrown).toMatchObject({ message: 'Claude Code process aborted by user', cause: broke });
    await cli.got(({ request }) => request?.subtype === 'end_session');
    await running.return(undefined);
  });

  it('[U-2] that throws during a turn still yields a result that arrives in time, and stdin stays open until then', async () => {
    const input = openInput('One.');
    const { cli, query: running } = stage(input.stream);
    await cli.prompt();
    cli.say(state('running'));
    const reading = collect(running);
    const broke = new Error('the input broke');
    input.fail(broke);
    await expect.poll(() => running.setModel('haiku').catch(String)).toBe('Error: Operation aborted');
    expect(cli.inputEnded).toBe(false);
    cli.say(result(), state('idle'));
    await cli.closedInput();
    const { types, thrown } = await reading;
    expect(types).toEqual(['result']);
    expect(thrown).toMatchObject({ message: 'Operation aborted', cause: broke });
  });

  it('[U-6] that throws during a turn does not delay an abort', async () => {
    const input = openInput('One.');
    const abortController = new AbortController();
    const { cli, query: running } = stage(input.stream, { abortController });
    await cli.prompt();
    cli.say(state('running'));
    const reading = collect(running);
    input.fail(new Error('the input broke'));
    await expect.poll(() => running.setModel('haiku').catch(String)).toBe('Error: Operation aborted');
    abortController.abort('enough');
    const { thrown } = await reading;
    expect(thrown).toMatchObject({ message: 'Claude Code process aborted by user', cause: 'enough' });
  });

  it('[U-6] ends the query if it throws between turns, even with an error of coxswain', async () => {
    for (const broke of [new Error('the input broke'), new TransportError('of another query')]) {
      const input = openInput('One.');
      const { cli, query: running } = stage(input.stream);
      await cli.prompt();
      cli.say(result(), state('idle'));
      await running.next();
      input.fail(broke);
      const { thrown } = await collect(running);
      expect(thrown).toBeInstanceOf(AbortError);
      expect(thrown).toMatchObject({ message: 'Operation aborted', cause: broke });
    }
  });

  it('[U-4] can be combined with streamInput(), which rejects after the end', async () => {
    const input = openInput('One.');
    const { cli, query: running } = stage(input.stream);
    await cli.prompt();
    const more = openInput('Two.');
    more.end();
    await running.streamInput(more.stream);
    expect(await cli.prompt(2)).toMatchObject({ message: { content: 'Two.' } });
    expect(cli.inputEnded).toBe(false);
    running.close();
    const late = openInput('Three.');
    await expect(running.streamInput(late.stream)).rejects.toThrow('ProcessTransport is not ready for writing');
    const empty = openInput();
    empty.end();
    await running.streamInput(empty.stream);
  });

  it('[U-2, U-4] of which the query reads no more runs its finally blocks', async () => {
    for (const end of [close, abort, exit]) {
      const abortController = new AbortController();
      const first = inputWithFinally('One.');
      const { cli, query: running } = stage(first.source, { abortController });
      const second = inputWithFinally('Two.');
      const streamed = running.streamInput(second.source).then(
        () => 'resolved',
        (error: Error) => error.message,
      );
      await cli.prompt(2);
      end(cli, running, abortController);
      await collect(running);
      first.next();
      second.next();
      await Promise.all([first.finished, second.finished]);
      expect(await streamed).toBe(end === abort ? 'resolved' : 'ProcessTransport is not ready for writing');
    }
  });

  it('[U-2] with a value that cannot be written ends like one that throws, with the reason as the cause', async () => {
    const circular: Record<string, unknown> = { type: 'user' };
    circular.self = circular;
    for (const value of [null, circular, { type: 'user', id: 1n }]) {
      const { cli, query: running } = stage(yielding(value));
      await cli.prompt();
      cli.say(result(), state('idle'));
      const { thrown } = await collect(running);
      expect(thrown).toBeInstanceOf(AbortError);
      expect(thrown).toMatchObject({ message: 'Operation aborted', cause: { name: 'OptionsError' } });
      const later = stage().query.streamInput(yielding(value));
      await expect(later).rejects.toMatchObject({ name: 'OptionsError' });
    }
  });

  it('[U-2] may yield texts, numbers and lists, which are not written: the CLI ignores them', async () => {
    const { cli, query: running } = stage(yielding('text', 5, [1], { type: 'user', message: { content: 'Two.' } }));
    expect(await cli.prompt(2)).toMatchObject({ message: { content: 'Two.' } });
    cli.say(result(), result(), state('idle'));
    expect((await collect(running)).thrown).toBeUndefined();
    expect(cli.frames.filter(({ type }) => type !== 'control_request')).toHaveLength(2);
  });

  it('[U-2] that waits does not delay the end of the query', async () => {
    const { cli, query: running } = stage(inputWithFinally('One.').source);
    await cli.prompt();
    cli.leave(0);
    expect((await collect(running)).thrown).toBeUndefined();
  });
});

/** A prompt, and these values of a program in JavaScript. */
async function* yielding(...values: readonly unknown[]): AsyncGenerator<SDKUserMessage> {
  yield { type: 'user', message: { role: 'user', content: 'One.' }, parent_tool_use_id: null };
  for (const value of values) yield value as SDKUserMessage; // The compiler would refuse them.
}

type End = (cli: FakeProcess, running: Query, abortController: AbortController) => void;

const close: End = (_, running) => running.close();
const abort: End = (_, __, abortController) => abortController.abort();
const exit: End = (cli) => cli.leave(0);

describe('the end of a query', () => {
  const failed = (more: object = {}): object => result({ is_error: true, ...more });
  const exited = (code: number): object => ({
    message: `Claude Code process exited with code ${code}`,
    exitCode: code,
  });
  const reported = (text: string): object => ({ message: `Claude Code returned an error result: ${text}` });

  it.each<[string, readonly object[], number | 'SIGKILL', object | undefined]>([
    ['exit code 0', [], 0, undefined],
    ['exit code 7', [], 7, exited(7)],
    ['a signal', [], 'SIGKILL', { message: 'Claude Code process terminated by signal SIGKILL', signal: 'SIGKILL' }],
    ['a result, then code 3', [result()], 3, exited(3)],
    [
      'an error result, then code 1',
      [failed({ subtype: 'error_during_execution', errors: ['a', 'b'] })],
      1,
      reported('a; b'),
    ],
    ['an API error, then code 1', [failed()], 1, reported('Hi.')],
    ['an error result, then code 0', [failed()], 0, undefined],
    ['an error, then a successful result, then code 0', [failed(), result()], 0, undefined],
  ])('[U-2] with %s', async (_what, frames, exit, expected) => {
    const { cli, query: running } = stage(openInput('One.').stream);
    await cli.prompt();
    cli.say(...frames);
    if (typeof exit === 'number') cli.leave(exit);
    else cli.leave(null, exit);
    const { thrown } = await collect(running);
    if (expected === undefined) expect(thrown).toBeUndefined();
    else expect(thrown).toMatchObject({ name: 'Error', ...expected });
    expect(await running.next()).toEqual({ done: true, value: undefined });
  });

  it.each([
    ['after', {}],
    ['before', { initialize: () => undefined }],
  ])(
    '[U-6] of a CLI that exits without an answer, without an error and %s the handshake is reported once, and the loop ends as in the official SDK',
    async (_when, answers) => {
      const codes: unknown[] = [];
      const note = (warning: Error): void => void codes.push('code' in warning && warning.code);
      process.on('warning', note);
      const silent = new FakeProcess();
      Object.assign(silent.answers, answers);
      const { cli, query: running } = stage(openInput('One.').stream, {}, silent);
      await cli.prompt();
      cli.leave(0);
      expect((await collect(running)).thrown).toBeUndefined();
      await new Promise((resolve) => setImmediate(resolve));
      process.off('warning', note);
      expect(codes).toEqual(['COXSWAIN_NO_RESULT']);
    },
  );

  it('[U-6] is forced for an idle CLI that does not exit without stdin', async () => {
    vi.stubEnv('COXSWAIN_LIMITS', '{"drainMs":30,"graceMs":30}');
    onTestFinished(() => void vi.unstubAllEnvs());
    const cli = new FakeProcess();
    cli.ignores.add('EOF');
    const { query: running } = stage('Hi.', {}, cli);
    await cli.prompt();
    cli.say(state('running'), result(), state('idle'));
    await cli.closedInput();
    expect(await collect(running)).toEqual({ types: ['result'], thrown: undefined });
    expect(cli.signals).toEqual(['SIGTERM']);
  });

  it('[U-2] for a missing program has the class, the code and the text that programs match on', async () => {
    const running = query({ prompt: 'Hi.', options: { pathToClaudeCodeExecutable: '/no/such/claude', env: {} } });
    const { thrown } = await collect(running);
    expect(thrown).toMatchObject({ name: 'ReferenceError', code: 'ENOENT', cause: { code: 'spawn' } });
    expect(String(thrown)).toContain('native binary not found at /no/such/claude');
    await expect(running.setModel('x')).rejects.toThrow('Query closed before response received');
  });

  it('[U-10] without a CLI is an error of the call, with the searched locations and advice', () => {
    vi.stubEnv('COXSWAIN_CLI', '/no/such/claude');
    onTestFinished(() => void vi.unstubAllEnvs());
    const thrown = thrownBy(() => query({ prompt: 'Hi.', options: { env: {} } }));
    expect(thrown).toMatchObject({ cause: { code: 'cli-not-found' } });
    expect(String(thrown)).toMatch(/^Error: Native CLI binary for \S+ not found\. .*\/no\/such\/claude/s);
  });

  it('[U-6, U-10] is an error of the call if Node refuses the start; the error does not quote the value', () => {
    const env = { PATH: '/bin', TOKEN: 'secret\0' };
    const thrown = thrownBy(() => query({ prompt: 'Hi.', options: { pathToClaudeCodeExecutable: '/bin/true', env } }));
    expect(thrown).toMatchObject({ name: 'TypeError', code: 'ERR_INVALID_ARG_VALUE' });
    expect(String(thrown)).toContain("'options.env['TOKEN']' must be a string without null bytes");
    expect(thrown).toBeInstanceOf(Error);
    expect((thrown as Error).stack).not.toContain('secret');
  });

  it('[U-10] is an error of the call if spawnClaudeCodeProcess throws', () => {
    const broke = new Error('no boat');
    const spawnClaudeCodeProcess = (): never => {
      throw broke;
    };
    const options = { pathToClaudeCodeExecutable: '/bin/true', spawnClaudeCodeProcess, env: {} };
    expect(thrownBy(() => query({ prompt: 'Hi.', options }))).toBe(broke);
  });

  it('[U-2] is normal for a program found by the search, which gets the flags and private files', async () => {
    const answer = { type: 'control_response', response: { subtype: 'success', request_id: 'req_1', response: {} } };
    const folder = mkdtempSync(join(tmpdir(), 'coxswain-test-'));
    const path = join(folder, 'claude');
    // A private file is removed once the CLI has printed something, so it is read first.
    const program = [
      '#!/bin/sh',
      'for arg; do case $last in --mcp-config) config=$(cat "$arg");; esac; last=$arg; done',
      `read line; echo '${JSON.stringify(answer)}'; read line`,
      `echo '{"type":"result","subtype":"success","is_error":false,"result":'"$config"'}'; cat >/dev/null`,
    ];
    writeFileSync(path, `${program.join('\n')}\n`, { mode: 0o755 });
    vi.stubEnv('COXSWAIN_CLI', path);
    onTestFinished(() => {
      vi.unstubAllEnvs();
      rmSync(folder, { recursive: true, force: true });
    });
    const mcpServers = { a: { command: 'x' } };
    const running = query({ prompt: 'Hi.', options: { env: { PATH: process.env.PATH }, mcpServers } });
    const { value } = await running.next();
    expect(value).toMatchObject({ result: { mcpServers } });
  });

  it('[U-6] for a missing working directory names it', async () => {
    const options = { pathToClaudeCodeExecutable: process.execPath, cwd: '/no/such/folder' };
    expect(String((await collect(query({ prompt: 'Hi.', options }))).thrown)).toContain(
      'The working directory /no/such/folder does not exist',
    );
  });

  it('[U-2] by close() is silent for the loop, and rejects control requests with their text', async () => {
    const { cli, query: running } = stage(openInput().stream);
    await running.initializationResult();
    const reading = collect(running);
    expect(running.close()).toBeUndefined();
    expect(await reading).toEqual({ types: [], thrown: undefined });
    await expect(running.setModel('x')).rejects.toThrow('Query closed before response received');
    expect(await running.supportedModels()).toBeUndefined();
    await new Promise((resolve) => cli.once('exit', resolve));
  });

  it('[U-2] by close() rejects pending requests', async () => {
    const cli = new FakeProcess();
    cli.answers.initialize = () => undefined;
    const { query: running } = stage(openInput().stream, {}, cli);
    const waiting = [running.initializationResult(), running.setModel('x'), running.supportedCommands()];
    const settled = Promise.allSettled(waiting);
    running.close();
    const text = 'Query closed before response received';
    expect(await settled).toMatchObject(waiting.map(() => ({ status: 'rejected', reason: { message: text } })));
  });

  it('[U-2] is caused by breaking out of the loop', async () => {
    const { cli, query: running } = stage();
    cli.say(INIT, INIT);
    for await (const _ of running) break;
    expect(await running.next()).toEqual({ done: true, value: undefined });
    await new Promise((resolve) => cli.once('exit', resolve));
  });

  it('[U-2] is caused by throw(), which throws', async () => {
    const { query: running } = stage();
    await expect(running.throw(new Error('mine'))).rejects.toThrow('mine');
    expect(await running.next()).toMatchObject({ done: true });
  });

  it('[U-2, U-6] by an abort is immediate; the interrupted phase determines the text, and the reason is the cause', async () => {
    for (const [working, text] of [
      [true, 'Claude Code process aborted by user'],
      [false, 'Operation aborted'],
    ] as const) {
      const abortController = new AbortController();
      const cli = new FakeProcess();
      cli.ignores.add('EOF').add('SIGTERM');
      const { query: running } = stage(openInput('One.').stream, { abortController }, cli);
      await cli.prompt();
      cli.say(state('running'));
      if (!working) cli.say(result(), state('idle'));
      cli.say(INIT);
      while ((await running.next()).value?.type !== 'system');
      const reason = new Error('mine');
      abortController.abort(reason);
      const { thrown } = await collect(running);
      expect(thrown).toBeInstanceOf(AbortError);
      expect(thrown).toMatchObject({ message: text, cause: reason });
    }
  });

  it('[U-6] removes the listener from a controller that is used for many queries', async () => {
    const abortController = new AbortController();
    const { signal } = abortController;
    const { cli, query: running } = stage('Hi.', { abortController });
    await cli.prompt();
    cli.say(result());
    await collect(running);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(signal.aborted).toBe(false);
  });
});
