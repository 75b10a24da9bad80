import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { allow } from '../../src/callbacks/decisions.ts';
import type { AgentOptions } from '../../src/options/option-types.ts';
import { query } from '../../src/query/query.ts';
import type { QueryStream } from '../../src/query/query-stream.ts';
import type { RunEvent } from '../../src/report/events.ts';
import { FakeCli, silence } from '../support/fake-cli.ts';
import { MemoryTransport } from '../support/memory-transport.ts';
import { assistant, INIT, result, type Step, say } from '../support/say.ts';

/** The output of the CLI up to its end, and the expected items and results. */
interface Case {
  readonly name: string;
  readonly cli: readonly Step[];
  readonly options?: AgentOptions;
  /** Time of the abort, in ms. */
  readonly abortAfter?: number;
  /** Messages by their type, warnings and errors by their code, in order. */
  readonly items: readonly string[];
  /** The context of the last warning. */
  readonly context?: object;
  /** The outcome of `result()`: the text of the result, or the fields of the error. */
  readonly result: string | object;
  /** The fields of the error that ends the stream; undefined if it ends without one. */
  readonly error?: object;
}

const ERROR = result({ subtype: 'error_during_execution', is_error: true, result: 'boom', errors: ['boom'] });
const STRICT: AgentOptions = { strictExit: true };
const NO_RESULT = { code: 'no-result' };
const CUT = '{"type":"assist';
const TASK = { type: 'system', subtype: 'task_started', task_id: 't1' };

/** An error of the process, which `result()` also throws. */
function fails(error: object): Pick<Case, 'result' | 'error'> {
  return { result: { code: 'process', ...error }, error: { code: 'process', ...error } };
}

const CASES: readonly Case[] = [
  {
    name: '[Q-4] exit 0 after a result is the expected end',
    cli: [{ message: INIT }, { message: result() }, { exit: 0 }],
    items: ['system', 'result'],
    result: 'done',
  },
  {
    name: '[Q-4, Q-6] exit 1 after an error result is the expected end',
    cli: [{ message: ERROR }, { exit: 1 }],
    items: ['result'],
    result: 'boom',
  },
  {
    name: '[Q-4] exit 1 after a successful result causes a warning',
    cli: [{ message: result() }, { exit: 1 }],
    items: ['result', 'non-zero-exit-after-result'],
    context: { exitCode: 1, signal: null },
    result: 'done',
  },
  {
    name: '[Q-4] exit 2 after an error result causes a warning',
    cli: [{ message: ERROR }, { exit: 2 }],
    items: ['result', 'non-zero-exit-after-result'],
    context: { exitCode: 2, signal: null },
    result: 'boom',
  },
  {
    name: '[Q-4] a signal after a result causes a warning',
    cli: [{ message: result() }, { kill: 'KILL' }],
    items: ['result', 'non-zero-exit-after-result'],
    context: { exitCode: null, signal: 'SIGKILL' },
    result: 'done',
  },
  {
    name: '[Q-4, Q-8] an exit while background work is open causes a warning',
    cli: [{ message: TASK }, { message: result() }, { exit: 3 }],
    items: ['system', 'result', 'non-zero-exit-after-result'],
    context: { exitCode: 3, signal: null },
    result: 'done',
  },
  {
    name: '[Q-4] an unexpected exit with strictExit causes a ProcessError with the result',
    cli: [{ message: result() }, { out: 'noise\n' }, { err: 'could not save\n' }, { exit: 9 }],
    options: STRICT,
    items: ['result', 'bad-line-after-result'],
    ...fails({
      exitCode: 9,
      signal: null,
      stderrTail: 'could not save\n',
      stdoutWasEmpty: false,
      lastNonJsonLine: 'noise',
      result: result(),
    }),
  },
  {
    name: '[Q-4] strictExit does not affect an expected exit',
    cli: [{ message: ERROR }, { exit: 1 }],
    options: STRICT,
    items: ['result'],
    result: 'boom',
  },
  {
    name: '[Q-7] exit 0 without a result causes the warning clean-exit-no-result',
    cli: [{ message: INIT }, { exit: 0 }],
    items: ['system', 'clean-exit-no-result'],
    context: { exitCode: 0 },
    result: NO_RESULT,
  },
  {
    name: '[Q-7] exit 0 without any output causes the warning empty-response',
    cli: [{ err: 'something\n' }, { exit: 0 }],
    items: ['empty-response'],
    context: { exitCode: 0 },
    result: NO_RESULT,
  },
  {
    name: '[Q-7] exit 0 after a line that is not a message does not cause the warning empty-response',
    cli: [{ out: 'Loading…\n' }, { exit: 0 }],
    items: ['json-decode', 'clean-exit-no-result'],
    result: NO_RESULT,
  },
  {
    name: '[Q-7] an unfinished last line causes a warning with the line',
    cli: [{ message: INIT }, { message: result() }, { out: CUT }, { exit: 0 }],
    items: ['system', 'result', 'incomplete-last-line'],
    context: { line: CUT },
    result: 'done',
  },
  {
    name: '[Q-7] the warning about an unfinished last line precedes that about the exit',
    cli: [{ out: CUT }, { exit: 0 }],
    items: ['incomplete-last-line', 'clean-exit-no-result'],
    result: NO_RESULT,
  },
  {
    name: '[Q-7] an unfinished last line that ends within a character is reported by its length',
    cli: [{ message: result() }, { bytes: [0x7b, 0xc3] }, { exit: 0 }],
    items: ['result', 'incomplete-last-line'],
    context: { line: '(2 bytes that are not UTF-8)' },
    result: 'done',
  },
  {
    name: '[Q-7] a last line without its line feed is decoded',
    cli: [{ message: INIT }, { out: JSON.stringify(result()) }, { exit: 0 }],
    items: ['system', 'result'],
    result: 'done',
  },
  {
    name: '[Q-7, C-10] a secret in the last line is redacted',
    cli: [{ message: result() }, { out: '{"key":"my-own-secret' }, { exit: 0 }],
    options: { apiKey: 'my-own-secret' },
    items: ['result', 'incomplete-last-line'],
    context: { line: '{"key":"[redacted]' },
    result: 'done',
  },
  {
    name: '[Q-5] an exit without a result causes a ProcessError with all diagnostics',
    cli: [
      { message: INIT },
      { out: 'Loading…\n' },
      { out: 'Still loading…\n' },
      { err: "error: unknown option '--x'\n" },
      { exit: 1 },
    ],
    items: ['system', 'json-decode', 'json-decode'],
    ...fails({
      exitCode: 1,
      signal: null,
      stderrTail: "error: unknown option '--x'\n",
      stdoutWasEmpty: false,
      lastNonJsonLine: 'Still loading…',
      hint: expect.stringContaining('does not support one of its flags'),
      result: undefined,
    }),
  },
  {
    name: '[Q-5] an exit without output causes a ProcessError that reports the empty output',
    cli: [{ exit: 2 }],
    items: [],
    ...fails({ exitCode: 2, stdoutWasEmpty: true, lastNonJsonLine: undefined, stderrTail: '' }),
  },
  {
    name: '[Q-5] a signal without a result causes a ProcessError',
    cli: [{ message: INIT }, { message: assistant('hi') }, { kill: 'KILL' }],
    items: ['system', 'assistant'],
    ...fails({ exitCode: null, signal: 'SIGKILL', stdoutWasEmpty: false, lastNonJsonLine: undefined }),
  },
  {
    name: '[Q-5, Q-7] an unfinished last line is the last non-JSON line of the ProcessError',
    cli: [{ message: INIT }, { out: `noise\n${CUT}` }, { exit: 1 }],
    items: ['system', 'json-decode'],
    ...fails({ exitCode: 1, stdoutWasEmpty: false, lastNonJsonLine: CUT }),
  },
  {
    name: '[Q-8] a message after the end causes a warning',
    cli: [{ message: result() }, { message: assistant('more') }, { exit: 0 }],
    items: ['result', 'unexpected-message-after-result'],
    context: { message: assistant('more') },
    result: 'done',
  },
  {
    name: '[Q-9] a stdout closed without a result by a running CLI causes a TransportError',
    cli: [{ message: INIT }, { close: 1 }, { stay: true }],
    options: { limits: { exitReadMs: 50, graceMs: 50 } },
    items: ['system'],
    result: { code: 'transport' },
    error: { code: 'transport', message: expect.stringContaining('closed its stdout without a result') },
  },
  {
    name: '[Q-9] a stdout closed after the result by a running CLI ends the run',
    cli: [{ message: result() }, { close: 1 }, { stay: true }],
    options: { limits: { exitReadMs: 20, graceMs: 150 } },
    items: ['result'],
    result: 'done',
  },
  {
    name: '[Q-12] an abort causes an AbortError',
    cli: [{ stay: true }],
    options: { limits: { graceMs: 50 } },
    abortAfter: 200,
    items: [],
    result: { code: 'abort' },
    error: { code: 'abort' },
  },
  {
    name: '[Q-12] a timeout causes a TimeoutError',
    cli: [{ stay: true }],
    options: { timeoutMs: 200, limits: { graceMs: 50 } },
    items: [],
    result: { code: 'timeout' },
    error: { code: 'timeout' },
  },
];

/** Options that make a query two-way. */
// The scripts read only the handshake and the prompt.
const CALLBACK: AgentOptions = { canUseTool: () => allow(), settingSources: [] };

/** The kinds of queries, with the steps of their CLIs. */
const KINDS: Readonly<Record<string, (test: Case) => QueryStream>> = {
  'one-shot, as a process': ({ cli, options = {} }) => say(cli, options).stream,
  'with a callback, as a process': ({ cli, options = {} }) =>
    say([{ handshake: true }, ...cli], { ...CALLBACK, ...options }).stream,
  'with a callback, as a process that does not answer the handshake': ({ cli, options = {} }) =>
    say(cli, { ...CALLBACK, ...options }).stream,
  'one-shot, in memory': ({ cli, options = {} }) => {
    const transport = new MemoryTransport();
    const stream = inMemory(transport, options);
    void stream.started.then(() => play(transport, cli));
    return stream;
  },
  'with a hook, in memory': ({ cli, options = {} }) => {
    // The test decides how the CLI exits.
    const transport = new FakeCli({ end_session: silence });
    transport.ignores.add('EOF');
    const stream = inMemory(transport, { hooks: { PreToolUse: () => undefined }, ...options });
    void transport.got('prompt hello').then(() => play(transport, cli));
    return stream;
  },
};

describe.each(Object.entries(KINDS))('[O-7] the end of a query, %s', (_, run) => {
  it.each(CASES.map((test) => [test.name, test] as const))('%s', async (__, test) => {
    const events: RunEvent[] = [];
    const abort = new AbortController();
    const watched = { signal: abort.signal, onEvent: (event: RunEvent) => void events.push(event) };
    const stream = run({ ...test, options: { ...watched, ...test.options } });
    if (test.abortAfter !== undefined) setTimeout(() => abort.abort(), test.abortAfter);
    const { items, warnings, terminalError } = await stream.collect();
    const codes = items.map((item) =>
      item.kind === 'message' ? item.message.type : item.kind === 'warning' ? item.warning.code : item.error.code,
    );
    expect(codes).toEqual(test.items);
    if (test.context) expect(warnings.at(-1)?.context).toMatchObject(test.context);
    if (test.error) expect(terminalError).toMatchObject(test.error);
    else expect(terminalError).toBeUndefined();
    const outcome = await stream.result().catch((error: unknown) => error);
    expect(outcome).toMatchObject(typeof test.result === 'string' ? { result: test.result } : test.result);
    expect(stream.warnings).toEqual(warnings);
    expect(stream.state).toBe('closed');
    const cutShort = test.abortAfter !== undefined || test.options?.timeoutMs !== undefined;
    if (!cutShort) await stream.started;
    await vi.waitFor(() => expect(ends(events)).toEqual([test.error ? 'failed' : 'ended']), 10_000);
  });
});

/** The events about the end. */
function ends(events: readonly RunEvent[]): string[] {
  return events.map(({ type }) => type).filter((type) => type === 'ended' || type === 'stopped' || type === 'failed');
}

function inMemory(transport: MemoryTransport, options: AgentOptions): QueryStream {
  const stream = query('hello', { transport, ...options });
  onTestFinished(async () => {
    transport.end();
    await stream.close();
  });
  return stream;
}

/** Plays all steps on an in-memory CLI at once. */
function play(transport: MemoryTransport, steps: readonly Step[]): void {
  for (const step of steps) {
    if ('message' in step) transport.say(step.message);
    else if ('out' in step) transport.print(String(step.out));
    else if ('bytes' in step) transport.output.push(Uint8Array.from(step.bytes));
    else if ('err' in step) transport.errorOutput.push(Buffer.from(String(step.err)));
    else if ('close' in step) transport.output.end();
    else if ('exit' in step) transport.end(step.exit);
    else if ('kill' in step) {
      transport.output.end();
      transport.errorOutput.end();
      transport.exit(null, `SIG${step.kill}`);
    }
  }
}
