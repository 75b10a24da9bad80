import { script } from '@coxswain/testkit';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FrameReceiver } from '../../src/conversation/frame-receiver.ts';
import { StoreFailedError } from '../../src/errors/store.ts';
import { createPool } from '../../src/pool/create-pool.ts';
import { query } from '../../src/query/query.ts';
import { openSession } from '../../src/restart/open-session.ts';
import { memoryStore } from '../../src/store/memory-store.ts';
import type { SessionStore } from '../../src/store/session-store.ts';
import type { Warning } from '../../src/warnings/warning.ts';
import type { Message } from '../../src/wire/messages.ts';
import { FakeCli, settle } from '../support/fake-cli.ts';
import { storeStage } from './stage.ts';

/** The conversation whose entries are lost. */
const LOST = '5c0bb147-bfa3-4d04-995f-acd9dbb180ac';

const agent = script()
  .onPrompt('look', (turn) =>
    turn
      .useAgent({ description: 'look', prompt: 'Look around.' }, (sub) =>
        sub.useTool('Bash', { command: 'ls' }).say('Nothing there.'),
      )
      .say('Nothing was found.'),
  )
  .otherwise((turn) => turn.say('Heard.'));

describe('a session with a store', () => {
  it('[G-1] runs the CLI with --session-mirror and hides its frames from turns and observers', async () => {
    const stage = storeStage(agent);
    const session = stage.open();
    const seen: Message[] = [];
    const watching = (async () => {
      for await (const item of session.messages()) if (item.kind === 'message') seen.push(item.message);
    })();
    const { messages } = await session.send('first').collect();
    await session.close();
    await watching;
    expect(stage.cli.runs()[0]?.argv).toContain('--session-mirror');
    expect([...messages, ...seen].filter(({ type }) => type === 'transcript_mirror')).toEqual([]);
    expect(messages.at(-1)?.type).toBe('result');
    expect(stage.warnings).toEqual([]);
  });

  it('[G-1] does not use --session-mirror without a store', async () => {
    const stage = storeStage();
    await stage.open({ sessionStore: undefined }).send('first').result();
    expect(stage.cli.runs()[0]?.argv).not.toContain('--session-mirror');
  });

  it('[G-2] stores every entry of a turn before it delivers the result, even with a slow store', async () => {
    const stage = storeStage(agent);
    stage.store.fault = { fault: 'slow', ms: 30 };
    const session = stage.open();
    for (const prompt of ['first', 'look', 'third']) {
      const turn = session.send(prompt);
      const uuids: string[] = [];
      for await (const message of turn) {
        if (message.type === 'assistant' && message.parent_tool_use_id === null) uuids.push(message.uuid);
        if (message.type !== 'result') continue;
        const stored = (await stage.entries(session.id)).map(({ uuid }) => uuid);
        expect(stored).toEqual(expect.arrayContaining([turn.id, ...uuids]));
      }
      expect(uuids.length).toBeGreaterThan(0);
    }
    const [subpath] = await stage.inner.listSubkeys({ projectKey: 'default', sessionId: session.id ?? '' });
    expect(subpath).toMatch(/^subagents\/agent-/);
    expect((await stage.entries(session.id, subpath)).map(({ type }) => type)).toContain('assistant');
  });

  it('[G-2] does not delay the messages before the result because of a slow store', async () => {
    const stage = storeStage(
      script().otherwise((turn) => turn.say('One.').useTool('Bash', { command: 'ls' }).say('Two.')),
    );
    stage.store.fault = { fault: 'slow', ms: 250 };
    const session = stage.open({ limits: { storeTimeoutMs: 5_000 } });
    await session.ready;
    const began = performance.now();
    const times: Record<string, number> = {};
    for await (const message of session.send('go')) times[message.type] ??= performance.now() - began;
    expect(times.assistant).toBeLessThan(200);
    expect(times.result).toBeGreaterThan(245);
  });

  it('[G-2] ends hundreds of consecutive short turns; none is left waiting for the store', async () => {
    const stage = storeStage();
    const session = stage.open();
    const turns = Array.from({ length: 200 }, (_, n) => session.send(`prompt ${n}`).result());
    expect((await Promise.all(turns)).every(({ subtype }) => subtype === 'success')).toBe(true);
    const uuids = (await stage.entries(session.id)).flatMap(({ uuid }) => uuid ?? []);
    expect(uuids).toHaveLength(400);
  });

  it('[G-2] stores the turns after clear() as a separate conversation', async () => {
    const stage = storeStage();
    const session = stage.open();
    await session.send('first').result();
    const before = session.id;
    await session.clear();
    await session.send('second').result();
    const prompts = async (id: string | undefined): Promise<string> => JSON.stringify(await stage.entries(id));
    expect(session.id).not.toBe(before);
    expect(await prompts(before)).toContain('first');
    expect(await prompts(before)).not.toContain('second');
    expect(await prompts(session.id)).toContain('second');
  });

  it('[G-4] fails a turn that cannot be stored, and stores its entries with the next one', async () => {
    const stage = storeStage();
    const session = stage.open();
    stage.store.fault = { fault: 'fail', message: 'disk full' };
    const failure = await session
      .send('first')
      .result()
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StoreFailedError);
    expect(failure).toMatchObject({ code: 'store-failed', operation: 'append', sessionId: session.id });
    expect(stage.warnings).toMatchObject([{ code: 'store-failed', context: { sessionId: session.id } }]);
    stage.store.fault = undefined;
    await session.send('second').result();
    const stored = JSON.stringify(await stage.entries(session.id));
    expect(stored.indexOf('first')).toBeGreaterThan(0);
    expect(stored.indexOf('second')).toBeGreaterThan(stored.indexOf('first'));
  });

  it('[G-4] retries a call that failed once, and the turn succeeds', async () => {
    const stage = storeStage();
    stage.store.fault = [{ fault: 'fail' }, { fault: 'lost-answer', how: 'fail' }];
    const session = stage.open({ limits: { storeAttempts: 3 } });
    expect(await session.send('first').text()).toBe('Heard.');
    expect(stage.warnings).toEqual([]);
    const uuids = (await stage.entries(session.id)).flatMap(({ uuid }) => uuid ?? []);
    expect(new Set(uuids).size).toBe(uuids.length);
  });

  it('[G-4] applies a deadline to a hanging store, which idleTimeoutMs does not shorten', async () => {
    const stage = storeStage();
    stage.store.fault = { fault: 'hang' };
    const session = stage.open();
    const turn = session.send('first', { idleTimeoutMs: 100 });
    await expect(turn.result()).rejects.toThrow('did not answer within 60 ms');
  });

  it('[G-4, S-9] delays close() for one deadline of a hanging store, not for two', async () => {
    const stage = storeStage();
    stage.store.fault = { fault: 'hang' };
    const session = stage.open({ limits: { storeTimeoutMs: 1_500, storeAttempts: 1, graceMs: 50 } });
    const turn = session.send('first');
    for await (const message of turn) if (message.type === 'assistant') break;
    const from = performance.now();
    await session.close();
    expect(performance.now() - from).toBeLessThan(2_800);
  });

  it('[E-4, S-9] ends after an internal failure during the delivery of a result, and close() resolves', async () => {
    const stage = storeStage();
    const deliver = vi.spyOn(FrameReceiver.prototype, 'deliver');
    onTestFinished(() => void deliver.mockRestore());
    const session = stage.open();
    await session.send('first').result();
    deliver.mockImplementation(() => {
      throw new Error('a fault');
    });
    await expect(session.send('second').result()).rejects.toMatchObject({
      code: 'transport',
      cause: { message: 'a fault' },
    });
    await session.close();
    expect(session.state).toBe('failed');
  });

  it("[G-4] delivers the result with a warning if storeFailure is 'warn'", async () => {
    const stage = storeStage();
    stage.store.fault = { fault: 'fail' };
    const session = stage.open({ storeFailure: 'warn' });
    expect(await session.send('first').text()).toBe('Heard.');
    expect(stage.warnings.map(({ code }) => code)).toEqual(['store-failed']);
    await session.close();
    expect(stage.warnings.at(-1)?.message).toMatch(/ended before 3 entries of the conversation .* could be stored/);
  });

  it('[G-4] ends if more entries wait than allowed', async () => {
    const stage = storeStage(
      script().otherwise((turn) => turn.say('x'.repeat(5_000)).useTool('Bash', { command: 'a' }).say('b')),
    );
    stage.store.fault = { fault: 'hang' };
    const session = stage.open({ limits: { backlogBytes: 2_000, storeTimeoutMs: 500, storeAttempts: 1 } });
    await expect(session.send('first').result()).rejects.toMatchObject({ code: 'store-failed' });
    await session.closed;
    expect(session.state).toBe('failed');
  });

  it('[G-4] stores entries that arrive after the last result before it ends', async () => {
    const stage = storeStage();
    const session = stage.open();
    await session.send('first').result();
    stage.store.fault = { fault: 'slow', ms: 30 };
    await session.close();
    expect((await stage.entries(session.id)).at(-1)).toMatchObject({ type: 'last-prompt', lastPrompt: 'first' });
  });
});

describe('a mirror frame over limits.maxLineBytes', () => {
  const limits = { maxLineBytes: 5_000 };
  /** Writes a text whose entry is too long for a line. */
  const lossy = script()
    .onPrompt('large', (turn) =>
      turn
        .line(
          `{"type":"transcript_mirror","filePath":"/c/projects/-p/${LOST}.jsonl","entries":[{"uuid":"a","text":"${'x'.repeat(6_000)}"}]}`,
        )
        .say('Heard.'),
    )
    .otherwise((turn) => turn.say('Heard.'));

  it('[G-2, G-4, W-3] fails its turn and later ones, because the store permanently lacks its entries', async () => {
    const stage = storeStage(lossy);
    const session = stage.open({ limits });
    expect(await session.send('small').text()).toBe('Heard.');
    const failure = await session
      .send('large')
      .result()
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StoreFailedError);
    expect(failure).toMatchObject({ operation: 'append', sessionId: LOST, attempts: 0 });
    expect(String(failure)).toMatch(
      /line of \d+ bytes, over limits\.maxLineBytes \(5000\).*raise limits\.maxLineBytes/,
    );
    await expect(session.send('small').result()).rejects.toMatchObject({ code: 'store-failed' });
    await session.close();
    expect(stage.warnings.map(({ code }) => code)).toEqual([
      'line-too-long',
      ...['store-failed', 'store-failed', 'store-failed'],
    ]);
    expect(stage.warnings.at(-1)?.message).toMatch(
      /^The session ended before all of the conversation .* could be stored/,
    );
    // The entries that fit are stored.
    expect((await stage.entries(session.id)).filter(({ type }) => type === 'assistant')).toHaveLength(3);
  });

  it("[G-4] lets the turns succeed with a warning each if storeFailure is 'warn'", async () => {
    const stage = storeStage(lossy);
    const session = stage.open({ limits, storeFailure: 'warn' });
    for (const prompt of ['large', 'small']) expect(await session.send(prompt).text()).toBe('Heard.');
    await session.close();
    const failures = stage.warnings.filter(({ code }) => code === 'store-failed');
    expect(failures).toHaveLength(3);
    expect(failures[0]?.message).toContain('limits.maxLineBytes');
  });

  it('[G-4] is reported at the end of the session if it arrives after the last result', async () => {
    const late = JSON.stringify({
      type: 'transcript_mirror',
      filePath: `/c/projects/-p/${LOST}.jsonl`,
      entries: [{ type: 'note', text: 'x'.repeat(6_000) }],
    });
    const cli = new FakeCli();
    const warnings: Warning[] = [];
    const onWarning = (warning: Warning): void => void warnings.push(warning);
    const session = openSession({ transport: cli, sessionStore: memoryStore(), limits, onWarning });
    await session.ready;
    cli.print(`${late}\n`);
    await settle();
    await session.close();
    expect(warnings.map(({ code }) => code)).toEqual(['line-too-long', 'store-failed']);
    expect(warnings[1]).toMatchObject({ context: { sessionId: LOST, entries: 0 } });
  });

  it('[G-4] of a query fails the query, or causes a warning', async () => {
    const stage = storeStage(lossy);
    const given = { transport: stage.cli.transport, sessionStore: stage.store, limits };
    await expect(query('large', given).result()).rejects.toMatchObject({ code: 'store-failed', attempts: 0 });
    const warnings: string[] = [];
    const onWarning = ({ code }: Warning): void => void warnings.push(code);
    await using stream = query('large', { ...given, storeFailure: 'warn', onWarning });
    expect(await stream.text()).toBe('Heard.');
    await stream.closed;
    expect(warnings).toEqual(['line-too-long', 'store-failed', 'store-failed']);
  });
});

describe('a store that rejects with a value that cannot be converted to text', () => {
  const message = {
    get: () => {
      throw new Error('no');
    },
  };
  it.each<[string, unknown]>([
    ['an object without a prototype', Object.create(null)],
    ['an error whose message throws', Object.defineProperty(new Error('a'), 'message', message)],
    ['a symbol', Symbol('s')],
    ['nothing', undefined],
  ])('[G-4, E-4] fails the turn, and the session can be closed (%s)', async (_what, value) => {
    const stage = storeStage();
    const sessionStore: SessionStore = {
      append: async () => {
        throw value;
      },
      load: async () => {
        throw value;
      },
    };
    const session = stage.open({ sessionStore });
    const failure = await session
      .send('first')
      .result()
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'store-failed', operation: 'append', attempts: 2 });
    expect(() => JSON.stringify(failure)).not.toThrow();
    await session.close();
    expect(stage.warnings.map(({ code }) => code)).toEqual(['store-failed', 'store-failed']);
    const resumed = stage.open({ sessionStore, resume: LOST });
    await expect(resumed.ready).rejects.toMatchObject({ code: 'store-failed', operation: 'load' });
  });
});

describe('a query with a store', () => {
  const ask = (stage: ReturnType<typeof storeStage>, options: object = {}) =>
    query('first', {
      transport: stage.cli.transport,
      sessionStore: stage.store,
      limits: { storeAttempts: 1 },
      ...options,
    });

  it('[G-1, G-2] stores its entries without changing its stream', async () => {
    const stage = storeStage();
    const stream = ask(stage);
    const { messages } = await stream.collect();
    expect(messages.map(({ type }) => type)).not.toContain('transcript_mirror');
    expect((await stream.result()).subtype).toBe('success');
    await stream.closed;
    expect((await stage.entries(stream.sessionId)).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['user', 'assistant', 'last-prompt']),
    );
  });

  it('[G-4] fails if its turn cannot be stored', async () => {
    const stage = storeStage();
    stage.store.fault = { fault: 'fail' };
    await expect(ask(stage).result()).rejects.toMatchObject({ code: 'store-failed' });
    await expect(ask(stage, { storeFailure: 'warn' }).text()).resolves.toBe('Heard.');
  });
});

describe('a pool with a store', () => {
  it('[G-1, G-5] stores the conversations of its keys, and resumes from the store after the process has exited', async () => {
    const stage = storeStage();
    const defaults = { transport: stage.cli.transport, sessionStore: stage.store };
    await using pool = createPool({ size: 1, defaults });
    for (const key of ['a', 'b', 'a']) await pool.submit({ key, prompt: `prompt of ${key}` }).result();
    expect(await stage.inner.listSessions('default')).toHaveLength(2);
    const again = stage.cli.runs().at(-1);
    expect(again?.argv).toContain('--resume');
    expect(again?.env?.CLAUDE_CONFIG_DIR).toMatch(/coxswain-\d+-\w+$/);
  });
});

describe('the options of a store', () => {
  it.each([
    [{ persistSession: false }, 'persistSession: cannot be false with sessionStore'],
    [{ continue: true }, 'continue: cannot be combined with sessionStore'],
    [{ resume: 'a title' }, 'resume: must be the id of a session with sessionStore'],
    [{ sessionStore: {} }, 'sessionStore: must be a session store'],
    [{ sessionStore: undefined, storeProject: 'p' }, 'storeProject: needs sessionStore'],
    [{ storeFailure: 'ignore' }, 'storeFailure: must be'],
  ])('[G-1] must be valid: %j', async (options, problem) => {
    const session = storeStage().open(options as object);
    await expect(session.ready).rejects.toThrow(problem);
  });
});
