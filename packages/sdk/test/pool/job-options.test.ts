import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { OptionsError } from '../../src/errors/options.ts';
import type { StandardSchema } from '../../src/options/option-types.ts';
import { countedByProcess, processOptionNames } from '../../src/options/process-options.ts';
import { turnOptionNames } from '../../src/options/turn.ts';
import { createPool } from '../../src/pool/create-pool.ts';
import type { JobSpec } from '../../src/pool/pool.ts';
import type { FakeCli } from '../support/fake-cli.ts';
import { ConversationCli, echo, fakeClis, fakePool, type PromptHandler, promptsOf, resumedBy } from './fake-pool.ts';

/** Answers every prompt with the same output. */
const outputs: PromptHandler = (cli, prompt) => {
  cli.begin(prompt);
  cli.finish(prompt, 'done', { structured_output: { n: 1 } });
};

describe('the second argument of submit()', () => {
  it.each([
    ['signal', { signal: {} }],
    ['signal', { signal: null }],
    ['the second argument', 7],
  ])('[A-5, A-4] %s: fails the job if it is invalid, and run() does not reject', async (path, extras) => {
    const { pool } = fakePool();
    // An untyped program may pass anything.
    const outcome = await pool.submit({ prompt: 'hello' }, extras as never).outcome;
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'options', problems: [{ path }] } });
    if (typeof extras === 'object') {
      expect(await pool.run({ prompt: 'hello' }, extras as never)).toMatchObject({ status: 'failed' });
    }
    expect(await pool.run({ prompt: 'hello' }, null as never)).toMatchObject({ status: 'finished' });
  });
});

describe('the options of a job', () => {
  it('[A-5, O-4] are refused with a suggestion if they are unknown, in any position', async () => {
    const { pool, clis } = fakePool();
    const problems = async (spec: object, extras?: object): Promise<object> => {
      const failure: unknown = await pool
        .submit({ prompt: 'hello', ...spec }, extras)
        .result()
        .catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(OptionsError);
      return Object.fromEntries((failure as OptionsError).problems.map(({ path, message }) => [path, message]));
    };
    expect(await problems({ modle: 'opus' })).toEqual({
      modle: 'is not a field of a job. Did you mean options.model?',
    });
    expect(await problems({ maxBudgetUsd: 0.1, kye: 'a', nonsense: 1 })).toEqual({
      maxBudgetUsd: 'is not a field of a job: pass it as options.maxBudgetUsd.',
      kye: 'is not a field of a job. Did you mean key?',
      nonsense: 'is not a field of a job; the fields are id, key, prompt, options, priority, resume.',
    });
    expect(await problems({ options: { maxBudget: 1, maxBudgetUSD: 1, cwdd: '/', canUseTool: () => {} } })).toEqual({
      'options.maxBudget': 'is not an option of a job.',
      'options.maxBudgetUSD': 'is not an option of a job. Did you mean maxBudgetUsd?',
      'options.cwdd': 'is not an option of a job. Did you mean cwd?',
      'options.canUseTool':
        'cannot be set by a job: return it from session(key), or set it in the defaults of the pool.',
    });
    expect(await problems({ options: { maxBudgetUsd: -1, outputSchema: { type: 'string' }, resume: 'x' } })).toEqual({
      'options.maxBudgetUsd': expect.stringContaining('above 0'),
      'options.outputSchema': expect.stringContaining('an object at the top level'),
      'options.resume': expect.stringContaining('the field resume'),
    });
    expect(await problems({ signal: AbortSignal.abort(), options: 'fast' })).toEqual({
      signal: expect.stringContaining('next to the job'),
      options: 'must be an object, not a string.',
    });
    expect(await problems({}, { signl: AbortSignal.abort(), onMessage: () => {} })).toEqual({
      signl: 'cannot be passed with a job. Did you mean signal?',
      onMessage: expect.stringContaining('run()'),
    });
    expect(clis).toEqual([]);
    // Undefined fields and options are ignored.
    expect(await pool.run({ prompt: 'x', modle: undefined, options: { cwdd: undefined } } as JobSpec)).toMatchObject({
      status: 'finished',
    });
  });

  it('[A-5] are passed to a new process for a job without a key', async () => {
    const { pool, clis } = fakePool({ prewarm: 1, defaults: { maxTurns: 7, fallbackModel: 'haiku' } });
    const outcome = await pool.run({ prompt: 'hello', options: { cwd: '/elsewhere', maxBudgetUsd: 0.5, maxTurns: 2 } });
    expect(outcome).toMatchObject({ status: 'finished' });
    const cli = clis.find((each) => promptsOf(each).length > 0);
    expect(cli?.request?.cwd).toBe('/elsewhere');
    expect(flagsOf(cli, '--max-budget-usd', '--max-turns', '--fallback-model')).toEqual(['0.5', '2', 'haiku']);
    expect(pool.stats().totals.adopted).toBe(0);
  });

  it('[A-5] make another process resume the conversation of a key for that job, and a third one for the job after it', async () => {
    const { pool, clis, mostProcesses, events } = fakePool({ size: 2, session: () => ({ maxTurns: 7 }) });
    const first = await pool.run({ key: 'a', prompt: '1' });
    const own = { maxTurns: 2 };
    const [second, third, fourth] = await Promise.all([
      pool.run({ key: 'a', prompt: '2', options: own }),
      pool.run({ key: 'a', prompt: '3', options: { ...own, model: 'haiku' } }),
      pool.run({ key: 'a', prompt: '4' }),
    ]);
    expect(clis.map(promptsOf)).toEqual([['1'], ['2', '3'], ['4']]);
    expect(clis.map((cli) => flagsOf(cli, '--max-turns')[0])).toEqual(['7', '2', '7']);
    expect(clis.map(resumedBy)).toEqual([undefined, first.sessionId, first.sessionId]);
    expect([second, third, fourth].map(({ sessionId }) => sessionId)).toEqual(Array(3).fill(first.sessionId));
    expect(mostProcesses()).toBe(1);
    expect(events.filter(({ type }) => type === 'session-evicted')).toMatchObject([
      { slot: 1, key: 'a', why: 'options', sessionId: first.sessionId },
      { slot: 2, key: 'a', why: 'options' },
    ]);
    expect(pool.stats().totals).toMatchObject({ started: 3, resumed: 2, evicted: 2, failed: 0, replaced: 0 });
  });

  it('[A-5] give each job with a budget its own process, even if the next job has the same budget', async () => {
    const { pool, clis } = fakePool({ size: 1 });
    for (const prompt of ['1', '2']) await pool.run({ key: 'a', prompt, options: { maxBudgetUsd: 0.5 } });
    await pool.run({ key: 'a', prompt: '3' });
    expect(clis.map(promptsOf)).toEqual([['1'], ['2'], ['3']]);
    expect(clis.map((cli) => flagsOf(cli, '--max-budget-usd')[0])).toEqual(['0.5', '0.5', undefined]);
  });

  it('[A-5] can deny more tools than the pool but not fewer, without a warning', async () => {
    const warnings: string[] = [];
    const defaults = { disallowedTools: ['Bash'], onWarning: ({ code }: { code: string }) => void warnings.push(code) };
    const { pool, clis } = fakePool({ size: 1, defaults });
    await pool.run({ prompt: 'hello', options: { disallowedTools: ['WebFetch'] } });
    await pool.run({ prompt: 'hello', options: { disallowedTools: [] } });
    expect(clis.map((cli) => flagsOf(cli, '--disallowedTools')[0])).toEqual(['Bash,WebFetch', 'Bash']);
    expect(warnings).toEqual([]);
  });

  it('[A-5] are copied when the job is submitted', async () => {
    const { pool, clis } = fakePool({ size: 1 });
    const tools = ['Read'];
    const job = pool.submit({ prompt: 'hello', options: { tools } });
    tools.push('Bash');
    await job.result();
    expect(flagsOf(clis[0], '--tools')).toEqual(['Read']);
  });

  it('[A-5] with a cwd from which the CLI cannot resume the conversation fail the job with advice, and the key keeps its conversation', async () => {
    const { pool, clis, events } = fakePool({ size: 1 }, echo, () => new DirectoryBoundCli());
    const first = await pool.run({ key: 'a', prompt: '1', options: { cwd: '/one' } });
    const moved = await pool.run({ key: 'a', prompt: '2', options: { cwd: '/two' } });
    expect(moved).toMatchObject({ status: 'failed', error: { code: 'options' } });
    expect(moved.status === 'failed' && moved.error.message).toContain(
      `options.cwd: is ${resolve('/two')}, but the conversation of the key "a" is in ${resolve('/one')}`,
    );
    const back = await pool.run({ key: 'a', prompt: '3', options: { cwd: '/one' } });
    expect(back).toMatchObject({ status: 'finished', sessionId: first.sessionId });
    expect(clis.map(({ request }) => request?.cwd)).toEqual(['/one', '/two', '/one'].map((cwd) => resolve(cwd)));
    expect(events.filter(({ type }) => type === 'key-forgotten')).toEqual([]);
  });
});

describe('the output of a job', () => {
  it('[A-5, M-6] is typed and validated by its own schema, even in a process shared with other jobs', async () => {
    const { transport, clis } = fakeClis(outputs);
    await using pool = createPool({ size: 1, defaults: { transport } });
    const jsonSchema = { type: 'object', properties: { n: { type: 'number' } } };
    const doubled = { jsonSchema, schema: schemaOf<{ n: number }>(({ n }) => ({ n: n * 2 })) };
    const worded = { jsonSchema, schema: schemaOf<{ n: number }, { word: string }>(({ n }) => ({ word: `n${n}` })) };
    const first = pool.submit({ key: 'a', prompt: '1', options: { outputSchema: doubled } });
    const second = pool.submit({ key: 'a', prompt: '2', options: { outputSchema: worded } });
    expectTypeOf(await first.output()).toEqualTypeOf<{ n: number }>();
    expectTypeOf(await second.output()).toEqualTypeOf<{ word: string }>();
    expect([await first.output(), await second.output()]).toEqual([{ n: 2 }, { word: 'n1' }]);
    expect(clis.map(promptsOf)).toEqual([['1', '2']]);
    expect(clis[0]?.log.find((frame) => typeof frame === 'object' && frame.request)).toMatchObject({
      request: { subtype: 'initialize', jsonSchema },
    });
  });

  it('[A-5, M-6] has the type of the pool for a job without a schema, and is unknown for a job with only a JSON Schema', async () => {
    const { transport } = fakeClis(outputs);
    const outputSchema = { schema: schemaOf<{ n: number }>((value) => value), jsonSchema: { type: 'object' } };
    await using pool = createPool({ size: 1, defaults: { transport, outputSchema } });
    const ofPool = await pool.submit({ prompt: 'x', options: { maxTurns: 3 } }).output();
    expectTypeOf(ofPool).toEqualTypeOf<{ n: number }>();
    const plain = await pool.submit({ prompt: 'x', options: { outputSchema: { type: 'object' } } }).output();
    expectTypeOf(plain).toEqualTypeOf<unknown>();
    const fromElsewhere: JobSpec = JSON.parse('{"prompt":"x"}');
    expectTypeOf(pool.submit(fromElsewhere).output()).toEqualTypeOf<Promise<unknown>>();
    expect([ofPool, plain]).toEqual([{ n: 1 }, { n: 1 }]);
  });

  it('[A-5, M-6] is a StructuredOutputError if it does not match the schema of the job', async () => {
    const { transport } = fakeClis(outputs);
    await using pool = createPool({ size: 1, defaults: { transport } });
    const never: StandardSchema<never> = {
      '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: [{ message: 'never' }] }) },
    };
    const outputSchema = { schema: never, jsonSchema: { type: 'object' } };
    await expect(pool.submit({ prompt: 'x', options: { outputSchema } }).output()).rejects.toMatchObject({
      code: 'structured-output',
      reason: 'invalid',
    });
  });
});

/** A CLI that only finds a conversation in the directory where it started, like 2.1.197. */
class DirectoryBoundCli extends ConversationCli {
  static readonly homes = new Map<string | undefined, string | undefined>();

  override async start(request: Parameters<ConversationCli['start']>[0]): Promise<void> {
    await super.start(request);
    const { homes } = DirectoryBoundCli;
    if (resumedBy(this) === undefined) homes.set(this.conversation, request.cwd);
    if (homes.get(this.conversation) === request.cwd) return;
    const message = `No conversation found with session ID: ${this.conversation}`;
    this.answers.initialize = () => {};
    this.say({ type: 'result', subtype: 'error_during_execution', is_error: true, errors: [message], session_id: 's' });
    this.die(1);
  }
}

describe('the guide on pools', () => {
  it('[A-5] lists every option of a job in the right row', () => {
    const guide = readFileSync(new URL('../../../../docs/guides/pools.md', import.meta.url), 'utf8');
    const [turn = '', process = '', alone = ''] =
      /\| options of a job \|.*\n.*\n((?:\|.*\n)+)/.exec(guide)?.[1]?.split('\n') ?? [];
    const named = (row: string): string[] =>
      [...(row.split(' | ')[0] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => String(name));
    expect(named(turn)).toEqual([...turnOptionNames]);
    expect([...named(process), ...named(alone)].sort()).toEqual([...processOptionNames].sort());
    expect(named(alone)).toEqual([...countedByProcess]);
  });
});

function flagsOf(cli: FakeCli | undefined, ...flags: readonly string[]): (string | undefined)[] {
  const argv = cli?.request?.argv ?? [];
  return flags.map((flag) => (argv.includes(flag) ? argv[argv.indexOf(flag) + 1] : undefined));
}

/** A schema that accepts any value as an `I` and converts it to an `O`. */
function schemaOf<I, O = I>(make: (value: I) => O): StandardSchema<O> {
  const validate = (value: unknown): { value: O } => ({ value: make(value as I) });
  return { '~standard': { version: 1, vendor: 'test', validate } };
}
