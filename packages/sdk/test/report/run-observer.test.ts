import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { allow } from '../../src/callbacks/decisions.ts';
import { createClient } from '../../src/client/create-client.ts';
import { poolOf } from '../../src/pool/create-pool.ts';
import { queryOf } from '../../src/query/query-stream.ts';
import type { RunObserver } from '../../src/report/run-observer.ts';
import { openSession } from '../../src/restart/open-session.ts';
import { sessionOf } from '../../src/session/session.ts';
import { fakeClis, fakePool, hold } from '../pool/fake-pool.ts';
import { open as openRestarting } from '../restart/stage.ts';
import { FakeCli, open, settle, start } from '../support/fake-cli.ts';
import { assistant, ORDINARY, say } from '../support/say.ts';
import { seenBy } from '../support/seen.ts';
import { caller, recordingObserver, type Watched } from './recording-observer.ts';

const CALM = new Set(['event request-sent', 'event request-answered', 'event state-changed']);
const storyOf = (watched: Watched | undefined): string[] => (watched?.story ?? []).filter((words) => !CALM.has(words));

describe('an observer of a query', () => {
  it('[S-16] observes it from the call on in the context of the caller, with its end and cost', async () => {
    const observer = recordingObserver();
    const { stream } = caller.run('alice', () =>
      say(ORDINARY, { model: 'm', apiKey: 'key-of-alice', observers: [observer] }),
    );
    await stream.text();
    await stream.closed;
    const [watched] = observer.runs;
    expect(storyOf(watched)).toEqual([
      'opened by alice',
      'prompt hello by alice',
      'event started',
      'message system',
      'message assistant',
      'message result',
      'event exit',
      'event ended',
      'turn ended: completed',
    ]);
    expect(watched?.run).toMatchObject({ kind: 'query', options: { model: 'm' }, pool: undefined });
    expect(watched?.run.options).not.toHaveProperty('apiKey');
    expect(watched?.run.redact('my key-of-alice')).toBe('my [redacted]');
    expect(watched?.messages.every(({ turn }) => turn === watched.run.id)).toBe(true);
    expect(watched?.ends).toMatchObject([{ turn: watched?.run.id, error: null, cost: { costUsd: 0 } }]);
  });

  it('[S-16] observes the prompt, the messages and the end of a query with callbacks', async () => {
    const observer = recordingObserver();
    const { clis, transport } = fakeClis();
    const client = createClient({ transport, observers: [observer] });
    const stream = caller.run('alice', () => client.query('hello', { canUseTool: () => allow() }));
    expect(await stream.text()).toBe('you said hello');
    await stream.closed;
    const [watched] = observer.runs;
    expect(storyOf(watched).slice(0, 3)).toEqual(['opened by alice', 'prompt hello by alice', 'event started']);
    expect(watched?.messages.map(({ message, turn }) => [message.type, turn])).toContainEqual([
      'assistant',
      watched?.run.id,
    ]);
    expect((await clis[0]?.got('prompt hello'))?.uuid).toBe(watched?.run.id);
    expect(watched?.ends).toMatchObject([{ turn: watched?.run.id, outcome: 'completed' }]);
    expect(watched?.events.at(-1)?.type).toBe('ended');
  });

  it('[S-16] is notified of a failed start and of an abort, as plain JSON', async () => {
    const observer = recordingObserver();
    await expect(say([], { cli: '/nowhere', observers: [observer] }).stream.result()).rejects.toThrow();
    const signal = AbortSignal.abort();
    await expect(say(ORDINARY, { signal, observers: [observer] }).stream.result()).rejects.toThrow();
    await settle();
    expect(observer.runs.map(({ ends }) => ends)).toMatchObject([
      [{ outcome: null, error: { code: 'cli-not-found' } }],
      [{ outcome: null, error: { code: 'abort' } }],
    ]);
  });

  it('[S-16] receives its stream, and is not notified of a query with invalid options', async () => {
    const observer = recordingObserver();
    const { stream } = say(ORDINARY, { observers: [observer] });
    const run = observer.runs[0]?.run;
    expect(run && queryOf(run)).toBe(stream);
    expect(run && poolOf(run)).toBeUndefined();
    expect(run && sessionOf(run)).toBeUndefined();
    await expect(say([], { maxTurns: -1, observers: [observer] }).stream.result()).rejects.toThrow();
    expect(observer.runs).toHaveLength(1);
  });

  it('[S-16] adds variables to the environment of the CLI, below those of the caller', async () => {
    vi.stubEnv('INHERITED', 'host');
    onTestFinished(() => void vi.unstubAllEnvs());
    const observer = recordingObserver({
      INHERITED: 'observer',
      GIVEN: 'observer',
      REMOVED: 'observer',
      NEW: 'observer',
    });
    const { env } = await seenBy({ env: { GIVEN: 'caller', REMOVED: undefined }, observers: [observer] });
    expect(env).toMatchObject({ INHERITED: 'observer', GIVEN: 'caller', NEW: 'observer' });
    expect(env).not.toHaveProperty('REMOVED');
  });

  it('[S-16] has no effect if it throws, rejects or returns an invalid value', async () => {
    const fail = (): never => {
      throw new Error('mine');
    };
    const reject = (): never => Promise.reject(new Error('mine, later')) as never;
    const observers: RunObserver[] = [
      { opened: fail },
      { opened: reject },
      { opened: () => 7 as never },
      { opened: () => ({ environment: fail, prompt: fail, message: fail, event: fail, turnEnded: fail }) },
      { opened: () => ({ environment: reject, prompt: reject, message: reject, event: reject, turnEnded: reject }) },
    ];
    const good = recordingObserver();
    const { stream } = say(ORDINARY, { observers: [...observers, good] });
    expect(await stream.text()).toBe('done');
    await stream.closed;
    expect(storyOf(good.runs[0])).toContain('turn ended: completed');
  });

  it.each(['environment', 'prompt', 'message', 'event', 'turnEnded'] as const)(
    '[S-16] changes nothing if reading its function %s throws',
    async (name) => {
      const watcher = Object.defineProperty({}, name, {
        get() {
          throw new Error('mine');
        },
      });
      const { stream } = say(ORDINARY, { observers: [{ opened: () => watcher }] });
      expect(await stream.text()).toBe('done');
      await stream.closed;
      const cli = new FakeCli();
      const { session } = await start({ observers: [{ opened: () => watcher }] }, cli);
      const turn = session.send('hello');
      cli.reply(await cli.got('prompt hello'));
      await turn.result();
    },
  );
});

describe('an observer of a session', () => {
  it('[S-16] observes every prompt in the context of its caller, and the messages of its turn', async () => {
    const observer = recordingObserver();
    const cli = new FakeCli();
    const { session } = caller.run('opener', () => open(cli, { title: 'T', observers: [observer] }));
    const first = caller.run('alice', () => session.send('one'));
    const second = caller.run('bob', () => session.send('two'));
    const one = await cli.got('prompt one');
    cli.begin(one);
    await caller.run('carol', () => first.steer('more'));
    cli.say(assistant('hi'));
    const added = await cli.got('prompt more');
    cli.say(
      { type: 'command_lifecycle', command_uuid: added.uuid, state: 'started' },
      { type: 'command_lifecycle', command_uuid: added.uuid, state: 'completed' },
    );
    cli.finish(one);
    await first.result();
    cli.reply(await cli.got('prompt two'));
    await second.result();
    await session.close();
    const [watched] = observer.runs;
    expect(storyOf(watched).slice(0, 3)).toEqual(['opened by opener', 'prompt one by alice', 'prompt two by bob']);
    expect(watched?.story).toContain('addition more by carol');
    expect(watched?.prompts.map(({ turn, steers }) => [turn, steers])).toEqual([
      [first.id, false],
      [second.id, false],
      [first.id, true],
    ]);
    expect(watched?.ends.map(({ turn, outcome }) => [turn, outcome])).toEqual([
      [first.id, 'completed'],
      [second.id, 'completed'],
    ]);
    const turns = watched?.messages.filter(({ message }) => message.type === 'assistant').map(({ turn }) => turn);
    expect(turns).toEqual([first.id, second.id]);
    expect(watched?.events.at(-1)?.type).toBe('stopped');
    expect(watched?.run.options).toEqual({ title: 'T' });
    expect(watched && sessionOf(watched.run)).toBe(session);
    expect(watched && queryOf(watched.run)).toBeUndefined();
  });

  it('[S-16] is notified of the end of turns that were never sent', async () => {
    const observer = recordingObserver();
    const { session, cli } = await start({ observers: [observer] });
    const aborter = new AbortController();
    const running = session.send('one');
    const aborted = session.send('two', { signal: aborter.signal });
    const waiting = session.send('three');
    cli.begin(await cli.got('prompt one'));
    aborter.abort();
    await expect(aborted.result()).rejects.toThrow();
    await session.close();
    await expect(running.result()).rejects.toThrow();
    await expect(waiting.result()).rejects.toThrow();
    await session.send('four').collect();
    await settle();
    const ends = observer.runs[0]?.ends.map(({ turn, error }) => [turn, error?.code]);
    expect(ends).toHaveLength(4);
    expect(ends).toEqual(
      expect.arrayContaining([
        [aborted.id, 'abort'],
        [running.id, 'session-stopped'],
        [waiting.id, 'session-stopped'],
      ]),
    );
  });

  it('[S-16] can be added later and removed earlier', async () => {
    const observer = recordingObserver();
    const { session, cli } = await start();
    void session.send('one');
    cli.reply(await cli.got('prompt one'));
    await session.idle();
    const remove = session.observe(observer);
    const two = session.send('two');
    cli.reply(await cli.got('prompt two'));
    await two.result();
    await settle();
    remove();
    const before = observer.runs[0]?.story.length;
    void session.send('three');
    cli.reply(await cli.got('prompt three'));
    await session.idle();
    expect(observer.runs[0]?.prompts.map(({ content }) => content)).toEqual(['two']);
    expect(observer.runs[0]?.ends).toHaveLength(1);
    expect(observer.runs[0]?.story).toHaveLength(before ?? 0);
    expect(observer.runs[0] && sessionOf(observer.runs[0].run)).toBe(session);
  });

  it('[S-16] is notified of the end of the turn during which it was added', async () => {
    const observer = recordingObserver();
    const { session, cli } = await start({ observers: [{ opened: () => ({ event() {} }) }] });
    const turn = session.send('one');
    const prompt = await cli.got('prompt one');
    session.observe(observer);
    cli.reply(prompt);
    await turn.result();
    await settle();
    expect(observer.runs[0]?.ends).toMatchObject([{ turn: turn.id, outcome: 'completed' }]);
  });

  it('[S-16] can be removed twice without removing another one', async () => {
    const first = recordingObserver();
    const second = recordingObserver();
    const { session, cli } = await start();
    const remove = session.observe(first);
    session.observe(second);
    remove();
    remove();
    void session.send('one');
    cli.reply(await cli.got('prompt one'));
    await session.idle();
    expect(first.runs[0]?.prompts).toEqual([]);
    expect(second.runs[0]?.prompts).toHaveLength(1);
  });

  it('[S-16] observes all CLI processes of a restarting session, extends the environment of each, and can link a resent turn', async () => {
    const observer = recordingObserver({ TRACE: '1' });
    const { session, cli } = openRestarting({ observers: [observer] }, { delayMs: 0, replay: 'unanswered' });
    const turn = session.send('one');
    const firstId = turn.id;
    const first = await cli(1);
    first.begin(await first.got('prompt one'));
    await settle();
    first.die(1);
    const second = await cli(2);
    second.reply(await second.got('prompt one'), 'again');
    expect(await turn.text()).toBe('again');
    await settle();
    const [watched] = observer.runs;
    expect(observer.runs).toHaveLength(1);
    expect([first, second].map(({ request }) => request?.env.TRACE)).toEqual(['1', '1']);
    const cut = watched?.events.find((event) => event.type === 'turn-interrupted');
    expect(cut).toMatchObject({ turn: firstId, replayedAs: turn.id });
    expect(watched?.prompts.map((prompt) => prompt.turn)).toEqual([firstId]);
    expect(watched?.ends).toMatchObject([{ turn: turn.id, outcome: 'completed' }]);
    expect(watched?.events.filter(({ type }) => type === 'started')).toHaveLength(2);
  });

  it('[S-16] does not keep it open; a fork counts as a separate run, and a refused session as none', async () => {
    const observer = recordingObserver();
    const { clis, transport } = fakeClis();
    const session = openSession({ transport, observers: [observer] });
    await session.send('one').result();
    const fork = await session.fork();
    expect(observer.runs.map(({ run }) => run.options.forkSession)).toEqual([undefined, true]);
    await Promise.all([session.close(), fork.close()]);
    expect(clis).toHaveLength(2);
    const refused = openSession({ observers: [observer], maxTurns: -1 });
    await expect(refused.ready).rejects.toThrow();
    const badPolicy = openSession({ observers: [observer], restart: { delayMs: -1 } });
    await expect(badPolicy.ready).rejects.toThrow();
    expect(observer.runs).toHaveLength(2);
  });
});

describe('an observer of a client', () => {
  it('[S-16] is called once, together with those of derived clients and of the call', async () => {
    const [ofClient, ofDerived, ofCall, later] = Array.from({ length: 4 }, () => recordingObserver());
    const { transport } = fakeClis();
    const client = createClient({ transport, observers: [ofClient as RunObserver] });
    const derived = client.with({ observers: [ofDerived as RunObserver, ofClient as RunObserver] });
    const remove = client.observe(later as RunObserver);
    const session = derived.openSession({ observers: [ofCall as RunObserver] });
    await session.send('one').result();
    await settle();
    for (const observer of [ofClient, ofDerived, ofCall, later]) {
      expect(observer?.runs.map(({ prompts }) => prompts.length)).toEqual([1]);
    }
    remove();
    await session.send('two').result();
    await session.close();
    expect(later?.runs[0]?.prompts).toHaveLength(1);
    expect(ofCall?.runs[0]?.prompts).toHaveLength(2);
    await createClient({ transport }).with({}).openSession().close();
    expect(client.defaults.observers).toEqual([ofClient]);
  });

  it('[S-16] observes the sessions that an existing pool opens later', async () => {
    const observer = recordingObserver();
    const { transport } = fakeClis();
    const client = createClient({ transport });
    await using pool = client.createPool({ size: 1 });
    client.observe(observer);
    await pool.run({ prompt: 'one' });
    const [watched] = observer.runs;
    expect(watched?.run.pool?.slot).toEqual(expect.any(Number));
    expect(watched && poolOf(watched.run)).toBe(pool);
  });

  it('[S-16, E-4] has no effect on the client and its pools if it rejects', async () => {
    const { transport } = fakeClis();
    const client = createClient({ transport });
    const rejects: RunObserver = { opened: () => Promise.reject(new Error('mine, later')) as never };
    client.observe(rejects);
    await using pool = client.createPool({ size: 1 });
    pool.observe(rejects);
    await pool.run({ prompt: 'one' });
    await using session = client.openSession();
    await session.send('two').result();
  });

  it('[S-16] must be an object with opened()', async () => {
    const { transport } = fakeClis();
    const session = openSession({ transport, observers: [{}] as never });
    await expect(session.ready).rejects.toThrow('observers[0]: must be an observer; it has no opened().');
  });
});

describe('an observer of a pool', () => {
  it('[S-16] observes open and later sessions with their slots and keys, and prompts in the context of submit()', async () => {
    const early = recordingObserver();
    const late = recordingObserver();
    const { pool, clis } = caller.run('owner', () =>
      fakePool({ size: 2, prewarm: 1, defaults: { observers: [early] } }),
    );
    await vi.waitUntil(() => pool.stats().sessions.warm === 1, { timeout: 15_000, interval: 5 });
    const remove = pool.observe(late);
    const job = caller.run('alice', () => pool.submit({ id: 'j1', key: 'k', prompt: 'one' }));
    await job.outcome;
    const other = caller.run('bob', () => pool.submit({ key: 'other', prompt: 'two' }));
    await other.outcome;
    for (const { runs } of [early, late]) {
      expect(runs.slice(0, 2).map(({ run }) => run.pool?.key)).toEqual(['k', 'other']);
      expect(runs[0]?.prompts).toMatchObject([{ content: 'one', job: 'j1', steers: false }]);
      expect(runs[0]?.story).toContain('prompt one by alice');
      expect(runs[1]?.story).toContain('prompt two by bob');
    }
    expect(early.runs[0]?.story[0]).toBe('opened by owner');
    expect(early.runs[1]?.story[0]).toBe('opened by owner');
    const lengths = late.runs.map(({ story }) => story.length);
    remove();
    await pool.run({ key: 'k', prompt: 'three' });
    expect(late.runs.map(({ story }) => story.length)).toEqual(lengths);
    expect(early.runs[0]?.prompts).toHaveLength(2);
    expect(clis.length).toBeGreaterThan(1);
  });

  it('[S-16] receives the time of the submission of a job, not of its start', async () => {
    const observer = recordingObserver();
    const { pool, clis } = fakePool({ size: 1, defaults: { observers: [observer] } }, hold);
    const before = Date.now();
    void pool.run({ key: 'k', prompt: 'hold' });
    const second = pool.submit({ key: 'k', prompt: 'two' });
    const submitted = Date.now();
    await vi.waitUntil(() => clis[0]?.story.includes('prompt hold'), { timeout: 15_000, interval: 5 });
    clis[0]?.finish(await clis[0].got('prompt hold'));
    await second.outcome;
    const at = observer.runs[0]?.prompts[1]?.at ?? 0;
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(submitted);
  });
});
