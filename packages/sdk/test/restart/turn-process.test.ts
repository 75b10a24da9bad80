import { describe, expect, expectTypeOf, it, onTestFinished, vi } from 'vitest';
import type { StandardSchemaWithJson } from '../../src/options/option-types.ts';
import { isTurnProcessOption, processOptionNames } from '../../src/options/process-options.ts';
import type { Session } from '../../src/session/session.ts';
import { FakeCli, settle, start as startPlain } from '../support/fake-cli.ts';
import { AT_ONCE, flagOf, open, refusing, start } from './stage.ts';

/** Answers each prompt of a CLI. */
async function answer(session: Session, cli: FakeCli, prompt: string): Promise<void> {
  cli.reply(await cli.got(`prompt ${prompt}`));
  await session.idle();
}

const NUMBER: StandardSchemaWithJson<{ n: number }> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => ({ value: value as { n: number } }),
    jsonSchema: { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) },
  },
};

describe('a turn with options that the CLI reads at its start', () => {
  it('[S-7] runs in a CLI that was started with them and resumes the conversation; the next turn uses the session’s options again', async () => {
    const { session, cli, cli1, events } = await start({ effort: 'low', allowedTools: ['Read'] });
    const first = session.send('one');
    const own = session.send('two', { effort: 'high', maxTurns: 3, allowedTools: ['Bash'] });
    const same = session.send('three', { maxTurns: 3, allowedTools: ['Bash'], effort: 'high' });
    const last = session.send('four');
    cli1.reply(await cli1.got('prompt one'));
    expect(await first.text()).toBe('done');
    const { id } = session;
    const cli2 = await cli(2);
    cli2.reply(await cli2.got('prompt two'));
    await own.text();
    cli2.reply(await cli2.got('prompt three'));
    await same.text();
    const cli3 = await cli(3);
    cli3.reply(await cli3.got('prompt four'));
    await last.text();
    const flags = (one: FakeCli): unknown[] =>
      ['--effort', '--max-turns', '--allowedTools', '--resume'].map((flag) => flagOf(one, flag));
    expect([cli1, cli2, cli3].map(flags)).toEqual([
      ['low', undefined, 'Read', undefined],
      ['high', '3', 'Bash', id],
      ['low', undefined, 'Read', id],
    ]);
    expect(cli1.hasExited && cli2.hasExited).toBe(true);
    expect(session.restarts).toBe(2);
    expect(events.filter(({ type }) => type === 'restarting')).toMatchObject([
      { attempt: 0, cause: null },
      { attempt: 0, cause: null },
    ]);
  });

  it('[T-5] does not let setMcpServers() add a server that a rule of the session would open', async () => {
    const { session, cli, cli1 } = await start({ allowedTools: ['mcp__db'], mcpServers: { db: { command: 'db' } } });
    const first = session.send('one');
    cli1.reply(await cli1.got('prompt one'));
    await first.text();
    const own = session.send('two', { allowedTools: ['Read'] });
    const cli2 = await cli(2);
    cli2.reply(await cli2.got('prompt two'));
    await own.text();
    const added = session.setMcpServers({ db__admin: { command: 'admin' } });
    await expect(added).rejects.toMatchObject({ code: 'options' });
    expect(cli2.story).not.toContain('mcp_set_servers');
  });

  it('[S-7, A-7] has its own budget, in a CLI that no other turn shares, and never more than the rest', async () => {
    const { session, cli, cli1 } = await start({ maxBudgetUsd: 0.5 });
    const spend = async (one: FakeCli, prompt: string, costUSD: number): Promise<void> => {
      const sent = await one.got(`prompt ${prompt}`);
      one.begin(sent);
      const spent = { opus: { inputTokens: 1, costUSD } };
      one.finish(sent, 'done', { uuid: crypto.randomUUID(), model_usage_since_last_result: spent });
      await settle();
    };
    const turns = [
      session.send('one', { maxBudgetUsd: 0.2 }),
      session.send('two', { maxBudgetUsd: 0.2 }),
      session.send('three', { maxBudgetUsd: 0.2 }),
      session.send('four'),
      session.send('five', { maxBudgetUsd: 9 }),
    ];
    await spend(await cli(2), 'one', 0.2);
    await spend(await cli(3), 'two', 0.15);
    await spend(await cli(4), 'three', 0.1);
    await spend(await cli(5), 'four', 0.05);
    // Nothing is left for a process with the options of the fifth turn.
    expect(await turns[4]?.result()).toMatchObject({ subtype: 'error_max_budget_usd' });
    const budgets = await Promise.all([2, 3, 4, 5].map(async (nth) => flagOf(await cli(nth), '--max-budget-usd')));
    expect([flagOf(cli1, '--max-budget-usd'), ...budgets]).toEqual(['0.5', '0.2', '0.2', '0.15', '0.05']);
  });

  it('[S-7, M-6] has its own schema: output() is typed and checked by it; other turns keep that of the session', async () => {
    const { session, cli, cli1 } = await start({ outputSchema: { type: 'object' } });
    const own = session.send('one', { outputSchema: NUMBER });
    expectTypeOf(own.output()).resolves.toEqualTypeOf<{ n: number }>();
    expectTypeOf(
      session.send('unused', { model: 'opus', signal: AbortSignal.abort() }).output(),
    ).resolves.toBeUnknown();
    const typed: Session<{ a: 1 }> = session as Session<{ a: 1 }>;
    expectTypeOf(typed.send('unused', { maxTurns: 1, signal: AbortSignal.abort() }).output()).resolves.toEqualTypeOf<{
      a: 1;
    }>();
    const cli2 = await cli(2);
    const prompt = await cli2.got('prompt one');
    cli2.begin(prompt);
    cli2.finish(prompt, '{}', { structured_output: { n: 1 } });
    expect((await own.output()).n).toBe(1);
    expect(cli1.story.filter((words) => words.startsWith('prompt'))).toEqual([]);
    const next = session.send('two');
    const cli3 = await cli(3);
    const second = await cli3.got('prompt two');
    cli3.begin(second);
    cli3.finish(second, '{}', { structured_output: { a: 2 } });
    expect(await next.output()).toEqual({ a: 2 });
  });

  it('[S-7] adds its denied tools to those of the session', async () => {
    const { session, cli } = await start({ disallowedTools: ['Write'] });
    const turn = session.send('one', { disallowedTools: ['Bash'] });
    const cli2 = await cli(2);
    await answer(session, cli2, 'one');
    expect(flagOf(cli2, '--disallowedTools')).toBe('Write,Bash');
    expect(turn.state).toBe('finished');
  });

  it('[S-7] is resent after a crash to a CLI with its options', async () => {
    const { session, cli } = await start({}, { ...AT_ONCE, replay: () => true });
    const turn = session.send('one', { maxTurns: 2, maxBudgetUsd: 1 });
    const cli2 = await cli(2);
    await cli2.got('prompt one');
    cli2.die(null, 'SIGKILL');
    const cli3 = await cli(3);
    await answer(session, cli3, 'one');
    expect(await turn.text()).toBe('done');
    expect([flagOf(cli3, '--max-turns'), flagOf(cli3, '--max-budget-usd')]).toEqual(['2', '1']);
  });

  it('[S-7] fails alone if its CLI does not start, and the session continues with another', async () => {
    const stage = open({}, AT_ONCE, (nth) => (nth === 2 ? refusing('no such model') : new FakeCli()));
    const { session, cli } = stage;
    await session.ready;
    const bad = session.send('one', { fallbackModel: 'nobody' });
    const good = session.send('two');
    await expect(bad.result()).rejects.toMatchObject({ name: 'CliExitedDuringInitError' });
    const cli3 = await cli(3);
    cli3.reply(await cli3.got('prompt two'));
    expect(await good.text()).toBe('done');
    expect([bad.state, session.state, flagOf(cli3, '--fallback-model')]).toEqual(['failed', 'running', undefined]);
  });

  it('[S-7, A-2] does not start a new conversation in place of one that the next CLI does not find', async () => {
    const missing = 'No conversation found with session ID: x';
    const { session, cli, clis } = open({}, AT_ONCE, (nth) => (nth === 1 ? new FakeCli() : refusing(missing)));
    const first = session.send('one');
    const cli1 = await cli(1);
    cli1.reply(await cli1.got('prompt one'));
    await first.text();
    const now = performance.now.bind(performance);
    // Long after the CLI has written its transcript.
    const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
    onTestFinished(() => later.mockRestore());
    await expect(session.send('two', { maxTurns: 1 }).result()).rejects.toThrow(missing);
    await expect(session.send('three').result()).rejects.toMatchObject({ name: 'SessionStoppedError' });
    await session.closed;
    expect(session.state).toBe('failed');
    expect(clis.slice(1).map((one) => flagOf(one, '--resume'))).toEqual(['session-1', 'session-1']);
  });

  it('[S-7, O-4] is refused, unsent, if they are invalid or conflict with those of the session', async () => {
    const { session, clis } = await start({ permissionMode: 'plan' });
    const problems = async (options: object): Promise<unknown> => {
      const failure: unknown = await session
        .send('x', options)
        .result()
        .catch((error: unknown) => error);
      return Object(failure).problems;
    };
    expect(await problems({ maxTurns: 0, maxBudgetUsd: 'much' })).toMatchObject([
      { path: 'maxTurns' },
      { path: 'maxBudgetUsd' },
    ]);
    expect(await problems({ cwd: '/tmp' })).toMatchObject([{ path: 'cwd' }]);
    // 2.1.325 would ignore them, even in another process.
    for (const name of ['systemPrompt', 'appendSystemPrompt', 'agent']) {
      expect(await problems({ [name]: 'x' })).toMatchObject([
        { path: name, message: expect.stringContaining('the CLI keeps the original system prompt') },
      ]);
    }
    expect(await problems({ maxTurn: 3 })).toMatchObject([
      { message: expect.stringContaining('did you mean maxTurns?') },
    ]);
    expect(clis).toHaveLength(1);
  });

  it('[S-7, O-4] is refused in a session without restart, with alternatives', async () => {
    const { session, cli } = await startPlain();
    for (const name of processOptionNames.filter(isTurnProcessOption)) {
      const failure: unknown = await session
        .send('x', { [name]: 1 })
        .result()
        .catch((error: unknown) => error);
      expect(failure).toMatchObject({
        name: 'OptionsError',
        problems: [{ path: name, message: expect.stringMatching(/openSession.*restart/) }],
      });
    }
    expect(cli.story).toEqual(['initialize']);
  });

  it('[S-7] waits for background work and requests of the CLI that it replaces', async () => {
    const { session, cli, cli1, clis } = await start();
    cli1.say({ type: 'system', subtype: 'task_started', task_id: 't' });
    await settle();
    const turn = session.send('one', { maxTurns: 1 });
    await settle();
    expect([cli1.hasExited, clis.length, turn.state]).toEqual([false, 1, 'queued']);
    cli1.say({ type: 'system', subtype: 'task_notification', task_id: 't', status: 'completed' });
    cli1.say({ type: 'result', subtype: 'success', uuid: crypto.randomUUID(), origin: { kind: 'task-notification' } });
    const cli2 = await cli(2);
    await answer(session, cli2, 'one');
    expect(turn.state).toBe('finished');
  });
});
