import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { OptionsError } from '../../src/errors/options.ts';
import type { StandardSchema } from '../../src/options/standard-schema.ts';
import { turnOptionNames } from '../../src/options/turn.ts';
import { createPool } from '../../src/pool/create-pool.ts';
import type { JobSpec } from '../../src/pool/job.ts';
import { countedByProcess, processOptionNames } from '../../src/pool/job-option-names.ts';
import type { FakeCli } from '../support/fake-cli.ts';
import { boathouse, type Conduct, echo, promptsOf, Rower, resumedBy, stock } from './boathouse.ts';

/** Gives every prompt the same output. */
const outputs: Conduct = (cli, prompt) => {
  cli.begin(prompt);
  cli.finish(prompt, 'done', { structured_output: { n: 1 } });
};

describe('the options of a job', () => {
  it('[A-5, O-4] that nobody knows are refused, wherever they stand, with what was meant', async () => {
    const { pool, clis } = boathouse();
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
      maxBudgetUsd: 'is not a field of a job: give it as options.maxBudgetUsd.',
      kye: 'is not a field of a job. Did you mean key?',
      nonsense: 'is not a field of a job; there are id, key, prompt, options, priority, resume.',
    });
    expect(await problems({ options: { maxBudget: 1, maxBudgetUSD: 1, cwdd: '/', canUseTool: () => {} } })).toEqual({
      'options.maxBudget': 'is not an option of a job.',
      'options.maxBudgetUSD': 'is not an option of a job. Did you mean maxBudgetUsd?',
      'options.cwdd': 'is not an option of a job. Did you mean cwd?',
      'options.canUseTool': 'is not for a job to choose: give it in session(key), or in the defaults of the pool.',
    });
    expect(await problems({ options: { maxBudgetUsd: -1, outputSchema: { type: 'string' }, resume: 'x' } })).toEqual({
      'options.maxBudgetUsd': expect.stringContaining('above 0'),
      'options.outputSchema': expect.stringContaining('an object at the top level'),
      'options.resume': expect.stringContaining('a field beside them'),
    });
    expect(await problems({ signal: AbortSignal.abort(), options: 'fast' })).toEqual({
      signal: expect.stringContaining('beside the job'),
      options: 'must be an object, not a string.',
    });
    expect(await problems({}, { signl: AbortSignal.abort(), onMessage: () => {} })).toEqual({
      signl: 'cannot be given beside a job. Did you mean signal?',
      onMessage: expect.stringContaining('run()'),
    });
    expect(clis).toEqual([]);
    // What is undefined is not given.
    expect(await pool.run({ prompt: 'x', modle: undefined, options: { cwdd: undefined } } as JobSpec)).toMatchObject({
      status: 'finished',
    });
  });

  it('[A-5] of a process, without a key: it has a process that was started with them', async () => {
    const { pool, clis } = boathouse({ prewarm: 1, defaults: { maxTurns: 7, fallbackModel: 'haiku' } });
    const outcome = await pool.run({ prompt: 'hello', options: { cwd: '/elsewhere', maxBudgetUsd: 0.5, maxTurns: 2 } });
    expect(outcome).toMatchObject({ status: 'finished' });
    const cli = clis.find((each) => promptsOf(each).length > 0);
    expect(cli?.request?.cwd).toBe('/elsewhere');
    expect(flagsOf(cli, '--max-budget-usd', '--max-turns', '--fallback-model')).toEqual(['0.5', '2', 'haiku']);
    expect(pool.stats().totals.adopted).toBe(0);
  });

  it('[A-5] of a process, with a key: another process takes up the conversation for that job, and another one after it', async () => {
    const { pool, clis, most, events } = boathouse({ size: 2, session: () => ({ maxTurns: 7 }) });
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
    expect(most()).toBe(1);
    expect(events.filter(({ type }) => type === 'session-evicted')).toMatchObject([
      { slot: 1, key: 'a', why: 'options', sessionId: first.sessionId },
      { slot: 2, key: 'a', why: 'options' },
    ]);
    expect(pool.stats().totals).toMatchObject({ started: 3, resumed: 2, evicted: 2, failed: 0, replaced: 0 });
  });

  it('[A-5] that the CLI counts by process: a budget is of one job, also when the next has the same', async () => {
    const { pool, clis } = boathouse({ size: 1 });
    for (const prompt of ['1', '2']) await pool.run({ key: 'a', prompt, options: { maxBudgetUsd: 0.5 } });
    await pool.run({ key: 'a', prompt: '3' });
    expect(clis.map(promptsOf)).toEqual([['1'], ['2'], ['3']]);
    expect(clis.map((cli) => flagsOf(cli, '--max-budget-usd')[0])).toEqual(['0.5', '0.5', undefined]);
  });

  it('[A-5] a job denies more tools than its pool, never fewer, and nobody has to be warned', async () => {
    const warnings: string[] = [];
    const defaults = { disallowedTools: ['Bash'], onWarning: ({ code }: { code: string }) => void warnings.push(code) };
    const { pool, clis } = boathouse({ size: 1, defaults });
    await pool.run({ prompt: 'hello', options: { disallowedTools: ['WebFetch'] } });
    await pool.run({ prompt: 'hello', options: { disallowedTools: [] } });
    expect(clis.map((cli) => flagsOf(cli, '--disallowedTools')[0])).toEqual(['Bash,WebFetch', 'Bash']);
    expect(warnings).toEqual([]);
  });

  it('[A-5] are as they were when it was submitted', async () => {
    const { pool, clis } = boathouse({ size: 1 });
    const tools = ['Read'];
    const job = pool.submit({ prompt: 'hello', options: { tools } });
    tools.push('Bash');
    await job.result();
    expect(flagsOf(clis[0], '--tools')).toEqual(['Read']);
  });

  it('[A-5] a cwd that this CLI cannot take the conversation to fails its job with what to do, and the key keeps it', async () => {
    const { pool, clis, events } = boathouse({ size: 1 }, echo, () => new Homebody());
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
  it('[A-5, M-6] is what its own schema describes, typed and checked, also in a process it shares', async () => {
    const { transport, clis } = stock(outputs);
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

  it('[A-5, M-6] is the pool’s for a job without a schema, and unknown for one with a JSON Schema alone', async () => {
    const { transport } = stock(outputs);
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

  it('[A-5, M-6] that does not fit its own schema is a StructuredOutputError', async () => {
    const { transport } = stock(outputs);
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

/** A CLI that finds a conversation only in the directory where it began, as 2.1.197 does. */
class Homebody extends Rower {
  static readonly homes = new Map<string | undefined, string | undefined>();

  override async start(request: Parameters<Rower['start']>[0]): Promise<void> {
    await super.start(request);
    const { homes } = Homebody;
    if (resumedBy(this) === undefined) homes.set(this.conversation, request.cwd);
    if (homes.get(this.conversation) === request.cwd) return;
    const message = `No conversation found with session ID: ${this.conversation}`;
    this.answers.initialize = () => {};
    this.say({ type: 'result', subtype: 'error_during_execution', is_error: true, errors: [message], session_id: 's' });
    this.die(1);
  }
}

describe('the guide', () => {
  it('[A-5] names every option a job may have, in the row of what it means', () => {
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

/** A schema that takes what comes for an `I` and makes an `O` of it. */
function schemaOf<I, O = I>(make: (value: I) => O): StandardSchema<O> {
  const validate = (value: unknown): { value: O } => ({ value: make(value as I) });
  return { '~standard': { version: 1, vendor: 'test', validate } };
}
