import { describe, expect, it } from 'vitest';
import { decideLater } from '../../src/callbacks/decisions.ts';
import { TransportError } from '../../src/errors/stream.ts';
import type { AgentOptions } from '../../src/options/option-types.ts';
import type { RunEvent } from '../../src/report/events.ts';
import type { Session } from '../../src/session/session.ts';
import { FakeCli, open, refusal, settle, start } from '../support/fake-cli.ts';

type Prompt = Awaited<ReturnType<FakeCli['got']>>;

async function rest<I>(items: AsyncIterable<I>): Promise<I[]> {
  const all: I[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Checks that events are gapless, chronological and lossless in JSON. */
function expectOrderly(events: readonly RunEvent[]): void {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i));
  expect(JSON.parse(JSON.stringify(events))).toEqual(events);
  for (const [i, { at }] of events.entries()) expect(at).toBeGreaterThanOrEqual(events[i - 1]?.at ?? 0);
}

describe('the events of a session', () => {
  it('[S-4, E-3] are plain JSON, gapless from the start, and the same for onEvent and events()', async () => {
    const { session, cli, events } = await start({
      fallbackModel: 'm',
      model: 'm',
      hooks: {
        PreToolUse: () => {
          throw new TypeError('from a hook');
        },
      },
      canUseTool: () => decideLater(),
    });
    const turn = session.send('one', { permissionMode: 'plan' });
    const prompt = await cli.got('prompt one');
    cli.begin(prompt);
    cli.askHook('h1');
    cli.askPermission('p1');
    cli.print('garbage\n');
    cli.errorOutput.push(Buffer.from('a word on stderr\n'));
    cli.say(
      { type: 'system', subtype: 'task_started', task_id: 't' },
      { type: 'system', subtype: 'task_notification', task_id: 't' },
    );
    await cli.answered('h1');
    cli.finish(prompt, 'done', { permission_denials: [{ tool_name: 'Write' }] });
    await turn.result();
    await session.close();
    expectOrderly(events);
    expect(await rest(session.events())).toEqual(events);
    expect(new Set(events.map(({ type }) => type))).toEqual(
      new Set([
        'started',
        'ready',
        'state-changed',
        'turn-started',
        'turn-ended',
        'warning',
        'stderr',
        'request-sent',
        'request-answered',
        'callback-started',
        'callback-ended',
        'permission-requested',
        'permission-answered',
        'task-opened',
        'task-closed',
        'exit',
        'stopped',
      ]),
    );
  });

  it.each<[string, (cli: FakeCli) => void]>([
    ['dies', (cli) => cli.die(null, 'SIGSEGV')],
    ['ends', (cli) => cli.die(0)],
  ])('[S-4, E-3] of a session that %s are gapless, with one terminal event at the end', async (_, end) => {
    const { session, cli, events } = await start();
    end(cli);
    await session.closed;
    await settle();
    expectOrderly(events);
    expect(events.filter(({ type }) => ['stopped', 'ended', 'failed'].includes(type))).toEqual([events.at(-1)]);
  });

  it.each<[string, (cli: FakeCli, session: Session) => unknown]>([
    ['dies', (cli) => cli.die(null, 'SIGKILL')],
    ['is stopped', (_, session) => session.close()],
  ])('[S-4] close every opened task once, even if the CLI %s first', async (_, end) => {
    const { session, cli, events } = await start();
    for (const task_id of ['t1', 't2', 't3']) cli.say({ type: 'system', subtype: 'task_started', task_id });
    cli.say({ type: 'system', subtype: 'task_notification', task_id: 't2', status: 'completed' });
    await settle();
    await end(cli, session);
    await session.closed;
    expectOrderly(events);
    expect(events.filter(({ type }) => type === 'task-closed')).toMatchObject([
      { task: 't2', status: 'completed' },
      { task: 't1', status: null },
      { task: 't3', status: null },
    ]);
    expect(events.slice(-2).map(({ type }) => type)).not.toContain('task-closed');
  });

  it('[S-4, E-3] of a failed start are gapless', async () => {
    const cli = new FakeCli({ initialize: refusal('no') });
    const { session, events } = open(cli);
    await expect(session.ready).rejects.toThrow('no');
    await settle();
    expectOrderly(events);
    expect(events.at(-1)).toMatchObject({
      type: 'failed',
      error: { name: 'InitializationError', code: 'initialization' },
    });
    expect(await rest(session.events())).toEqual(events);
  });

  it.each<[string, string, (cli: FakeCli, session: Session, prompt: Prompt) => unknown]>([
    ['receives its result', 'completed', (cli, _, prompt) => cli.finish(prompt)],
    [
      'receives a result that is too long to read',
      'no-result',
      (cli) => cli.print(`{"type":"result","result":"${'x'.repeat(4_000)}"}\n`),
    ],
    ['is stopped', 'no-result', (_, session) => session.close()],
    ['loses its CLI', 'no-result', (cli) => cli.die(null, 'SIGKILL')],
  ])('[S-4] start and end once for a turn that %s: %s', async (_, outcome, end) => {
    const { session, cli, events } = await start({ limits: { maxLineBytes: 2_000 } });
    const turn = session.send('one');
    const prompt = await cli.got('prompt one');
    cli.begin(prompt);
    await settle();
    end(cli, session, prompt);
    await turn.collect();
    await session.close();
    expectOrderly(events);
    expect(events.filter(({ type }) => type.startsWith('turn-'))).toMatchObject([
      { type: 'turn-started', turn: turn.id },
      { type: 'turn-ended', turn: turn.id, outcome },
    ]);
  });

  it('[S-4] include the end of a turn whose prompt was written partially but started by the CLI', async () => {
    const { session, cli, events } = await start();
    const write = cli.write.bind(cli);
    cli.write = async (text) => {
      await write(text);
      if (!text.includes('"type":"user"')) return;
      cli.begin(JSON.parse(text));
      await settle();
      throw new TransportError('The pipe broke.');
    };
    const turn = session.send('one');
    expect((await turn.collect()).terminalError).toMatchObject({ message: 'The pipe broke.' });
    await settle();
    expect(events.filter(({ type }) => type.startsWith('turn-'))).toMatchObject([
      { type: 'turn-started', turn: turn.id },
      { type: 'turn-ended', turn: turn.id, outcome: 'no-result' },
    ]);
    await session.close();
  });

  it('[S-4] include no end of a turn that never starts', async () => {
    const { session, cli, events } = await start();
    const running = session.send('one');
    const waiting = session.send('two');
    await cli.got('prompt one');
    await session.close();
    await Promise.all([running.collect(), waiting.collect()]);
    expect(events.filter(({ type }) => type.startsWith('turn-'))).toEqual([]);
  });

  it('[S-4] are delivered to a second reader from then on; readers end after the terminal event and never throw', async () => {
    const { session } = await start();
    const first = rest(session.events());
    const second = rest(session.events());
    const messages = rest(session.messages());
    await session.close();
    const seen = await first;
    expect(seen.at(-1)).toMatchObject({ type: 'stopped' });
    expect((await second).at(0)).toMatchObject({ type: 'state-changed', state: 'stopping' });
    expect(seen).toEqual(expect.arrayContaining(await second));
    expect(await messages).toEqual([]);
    expect(await rest(session.events())).toEqual([]);
  });

  it('[E-3] include the warnings, which are also in the items of the turn and in onWarning', async () => {
    const { session, cli, events, warnings } = await start();
    const turn = session.send('one');
    const prompt = await cli.got('prompt one');
    cli.print('garbage\n');
    cli.finish(prompt);
    const items = await turn.collect();
    expect(items.warnings).toEqual(warnings);
    expect(events.flatMap((event) => (event.type === 'warning' ? event.warning : []))).toEqual(warnings);
    expect(warnings).toHaveLength(1);
  });
});

describe('failing callbacks of a session', () => {
  const bad: AgentOptions = {
    onEvent: () => {
      throw new Error('from onEvent');
    },
    onWarning: () => Promise.reject(new Error('from onWarning')) as unknown as undefined, // Callers often pass async functions.
    onStderr: () => {
      throw new Error('from onStderr');
    },
  };

  it('[E-4, E-6] have no effect', async () => {
    const { session, cli } = await start({
      ...bad,
      hooks: { PreToolUse: () => Promise.reject(new Error('from a hook')) },
    });
    const turn = session.send('one');
    const prompt = await cli.got('prompt one');
    cli.print('garbage\n');
    cli.errorOutput.push(Buffer.from('mutter\n'));
    cli.askHook('h1');
    expect(await cli.answered('h1')).toEqual({});
    cli.finish(prompt, 'fine');
    expect(await turn.text()).toBe('fine');
    await session.close();
  });

  it('[E-4] and unawaited promises cause no unhandled rejections', async () => {
    const cli = new FakeCli({ initialize: refusal('no') });
    const { session } = open(cli);
    session.send('one');
    void session.send('two').result();
    void session.send('three').text();
    await session.closed;
    await settle();
    const { session: running, cli: other } = await start();
    running.send('one');
    void running.send('two').result();
    await settle();
    other.die(1);
    await running.closed;
    await settle();
  });
});
