import { describe, expect, it } from 'vitest';
import type { Session } from '../../src/session/session.ts';
import { FakeCli, refusal, settle, start, success } from '../support/fake-cli.ts';
import { INIT, result } from '../support/say.ts';

/** The end of a turn in the format of 2.1.290: with the totals of the process. */
const totals = (total: number): object => ({
  uuid: crypto.randomUUID(),
  total_cost_usd: total,
  modelUsage: { opus: { inputTokens: total * 100, outputTokens: total * 10, costUSD: total } },
});
const OWN_TURN = { origin: { kind: 'task-notification' } };
const TASK = { type: 'system', subtype: 'task_started', task_id: 't' };
const TASK_OVER = { type: 'system', subtype: 'task_notification', task_id: 't', status: 'completed', output_file: 't' };
const RELEASE_290 = success({ commands: [], models: [], agents: [], claude_code_version: '2.1.290' });

describe('the cost of a turn', () => {
  it('[M-8] is the increase of the total by its results, in money and tokens, per model', async () => {
    const { session, cli, events } = await start();
    const turns = [session.send('one'), session.send('two')] as const;
    cli.begin(await cli.got('prompt one'));
    cli.finish(await cli.got('prompt one'), 'done', totals(2));
    cli.begin(await cli.got('prompt two'));
    cli.finish(await cli.got('prompt two'), 'done', totals(5));
    expect(await turns[0].cost()).toMatchObject({ costUsd: 2, usage: { inputTokens: 200 }, complete: true });
    const tokens = { inputTokens: 300, outputTokens: 30, cacheReadTokens: 0, cacheCreationTokens: 0 };
    const second = { costUsd: 3, usage: tokens, byModel: { opus: { ...tokens, costUsd: 3 } }, complete: true };
    expect(await turns[1].cost()).toEqual(second);
    expect(events.filter(({ type }) => type === 'turn-ended').at(-1)).toMatchObject({ costUsd: 3, cost: second });
    expect(session.cost()).toMatchObject({ costUsd: 5, complete: true, background: { costUsd: 0 } });
  });

  it('[M-8] of an aborted turn is known after the CLI has stopped', async () => {
    const { session, cli } = await start();
    const stop = new AbortController();
    const turn = session.send('one', { signal: stop.signal });
    const next = session.send('two');
    const prompt = await cli.got('prompt one');
    cli.begin(prompt);
    stop.abort();
    await expect(turn.result()).rejects.toMatchObject({ code: 'abort' });
    await cli.got('interrupt');
    cli.finish(prompt, '', { ...totals(2), is_error: true, terminal_reason: 'aborted_streaming' });
    cli.begin(await cli.got('prompt two'));
    cli.finish(await cli.got('prompt two'), 'done', totals(3));
    expect([(await turn.cost()).costUsd, (await next.cost()).costUsd]).toEqual([2, 1]);
  });

  it('[M-8] of a turn that was never sent is zero and complete', async () => {
    const { session, cli } = await start();
    const running = session.send('one');
    const waiting = session.send('two');
    await cli.got('prompt one');
    await waiting.interrupt();
    const none = { costUsd: 0, complete: true };
    expect(await waiting.cost()).toMatchObject(none);
    expect(await session.send('three', { signal: AbortSignal.abort() }).cost()).toMatchObject(none);
    cli.die(1);
    expect(await running.cost()).toMatchObject({ costUsd: 0, complete: false });
    expect(await session.send('four').cost()).toMatchObject(none);
    expect(session.cost().complete).toBe(false);
  });

  it('[M-8] of a turn that close() cuts off is reported in a separate event during the exit of the CLI', async () => {
    const cli = new FakeCli({
      end_session: (it, id) => {
        it.finish({ type: 'user', uuid: turn.id }, '', { ...totals(4), is_error: true });
        it.succeed(id);
        it.die();
      },
    });
    const { session, events } = await start({}, cli);
    const turn = session.send('one');
    cli.begin(await cli.got('prompt one'));
    await settle();
    await session.close();
    expect(await turn.cost()).toMatchObject({ costUsd: 4, complete: true });
    expect(events.filter(({ type }) => /cost|turn-ended/.test(type))).toMatchObject([
      { type: 'turn-ended', outcome: 'no-result', costUsd: 0, cost: { complete: false } },
      { type: 'cost-reported', turn: turn.id, cost: { costUsd: 4 } },
    ]);
  });

  it('[M-8] excludes background work of the CLI, which is reported in a separate event of the session', async () => {
    const { session, cli, events } = await start();
    const turn = session.send('one');
    cli.begin(await cli.got('prompt one'));
    cli.finish(await cli.got('prompt one'), 'done', totals(1));
    await turn.result();
    cli.say(INIT, result({ ...totals(4), ...OWN_TURN }));
    const next = session.send('two');
    cli.begin(await cli.got('prompt two'));
    cli.finish(await cli.got('prompt two'), 'done', totals(6));
    expect([(await turn.cost()).costUsd, (await next.cost()).costUsd]).toEqual([1, 2]);
    expect(session.cost()).toMatchObject({ costUsd: 6, background: { costUsd: 3 } });
    expect(events.filter(({ type }) => type === 'cost-reported')).toMatchObject([{ turn: null, cost: { costUsd: 3 } }]);
  });

  it('[M-8] counts a repeated result once, and the total itself after a clear', async () => {
    const { session, cli } = await start();
    const first = totals(3);
    const turn = session.send('one');
    cli.begin(await cli.got('prompt one'));
    cli.finish(await cli.got('prompt one'), 'done', first);
    cli.finish(await cli.got('prompt one'), 'done', first);
    await turn.result();
    const cleared = session.clear();
    cli.begin(await cli.got('prompt /clear'));
    cli.finish(await cli.got('prompt /clear'), '', { ...totals(0), modelUsage: {} });
    await cleared;
    const next = session.send('two');
    cli.begin(await cli.got('prompt two'));
    cli.finish(await cli.got('prompt two'), 'done', totals(5));
    expect((await next.cost()).costUsd).toBe(5);
    expect(session.cost()).toMatchObject({ costUsd: 8, background: { costUsd: 0 } });
  });
});

describe('the cost of a session whose CLI ends after its last result', () => {
  const die = (_: Session, cli: FakeCli): void => cli.die(null, 'SIGKILL');
  const stop = (session: Session): unknown => session.close();

  it.each<[string, object[], (session: Session, cli: FakeCli) => unknown]>([
    ['dies while a background task is open', [TASK], die],
    ['is stopped while a background task is open', [TASK], stop],
    ['dies before it notifies the model of the end of a task', [TASK, TASK_OVER], die],
    ['dies in its own turn', [INIT], die],
  ])('[M-8] is not complete if it %s', async (_, frames, end) => {
    const { session, cli, events } = await startAndSpend();
    cli.say(...frames);
    await settle();
    await end(session, cli);
    await session.closed;
    expect(session.cost()).toMatchObject({ costUsd: 1, complete: false, background: { costUsd: 0, complete: false } });
    expect(events.filter(({ type }) => type === 'cost-reported')).toMatchObject([
      { turn: null, cost: { costUsd: 0, complete: false } },
    ]);
  });

  it('[M-8] is complete if nothing was open; a free background run is not reported', async () => {
    const { session, cli, events } = await startAndSpend();
    cli.say(TASK, { ...TASK_OVER, status: 'stopped' }, INIT, result({ ...totals(1), ...OWN_TURN }));
    await settle();
    cli.die(null, 'SIGKILL');
    await session.closed;
    expect(session.cost()).toMatchObject({ costUsd: 1, complete: true, background: { costUsd: 0, complete: true } });
    expect(events.map(({ type }) => type)).not.toContain('cost-reported');
  });

  /** A session after one turn for one dollar. */
  async function startAndSpend(): ReturnType<typeof start> {
    const started = await start();
    const turn = started.session.send('one');
    started.cli.begin(await started.cli.got('prompt one'));
    started.cli.finish(await started.cli.got('prompt one'), 'done', totals(1));
    await turn.result();
    return started;
  }
});

describe('the cost of the first turn after a resume', () => {
  const ID = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';

  it.each([
    [
      'relative to the cost at the start of the CLI, which is requested before the prompt',
      success({ session: { ...totals(7), model_usage: {} } }),
      2,
      true,
    ],
    [
      'as unknown if the CLI does not report the cost at its start',
      refusal('Unsupported control request subtype: get_usage'),
      0,
      false,
    ],
  ])('[M-8] is reported %s', async (_, get_usage, costUsd, complete) => {
    const cli = new FakeCli({ initialize: RELEASE_290, get_usage });
    const { session } = await start({ resume: ID }, cli);
    const turn = session.send('one');
    cli.begin(await cli.got('prompt one'));
    cli.finish(await cli.got('prompt one'), 'done', totals(9));
    expect(await turn.cost()).toMatchObject({ costUsd, complete });
    expect(cli.story).toEqual(['initialize', 'get_usage', 'prompt one']);
  });

  it.each([
    ['2.1.276', totals(2)],
    ['2.1.309', { ...totals(9), model_usage_since_last_result: { opus: { costUSD: 2 } } }],
  ])('[M-8] needs no request with %s', async (claude_code_version, costs) => {
    const cli = new FakeCli({ initialize: success({ claude_code_version }) });
    const { session } = await start({ resume: ID }, cli);
    const turn = session.send('one');
    cli.begin(await cli.got('prompt one'));
    cli.finish(await cli.got('prompt one'), 'done', costs);
    expect(await turn.cost()).toMatchObject({ costUsd: 2, complete: true });
    expect(cli.story).toEqual(['initialize', 'prompt one']);
  });
});

describe('the cost of background work before clear()', () => {
  const spentBy = async (before: number, after: number): Promise<Session> => {
    const { session, cli } = await start();
    const turn = session.send('one');
    const prompt = await cli.got('prompt one');
    cli.begin(prompt);
    cli.say(TASK);
    cli.finish(prompt, 'done', totals(before));
    await turn.result();
    const cleared = session.clear();
    const clear = await cli.got('prompt /clear');
    cli.begin(clear);
    cli.finish(clear, '', totals(after));
    await cleared;
    return session;
  };

  it('[M-8] belongs to no turn', async () => {
    const session = await spentBy(2, 9);
    expect(session.cost()).toMatchObject({ costUsd: 9, complete: true, background: { costUsd: 7 } });
  });

  it('[M-8] is unknown if the totals restart at zero', async () => {
    const session = await spentBy(2, 0);
    expect(session.cost()).toMatchObject({ costUsd: 2, complete: false, background: { costUsd: 0, complete: false } });
  });
});
