import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Reply, text, toolUse, until } from '@coxswain/testkit';
import type { RunEvent, Session } from 'coxswain';
import { ProcessError, SessionStoppedError } from 'coxswain/errors';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { noneLeft } from '../harness/none-left.ts';
import { isAlive, type ProcessInfo, processesOf } from '../harness/processes.ts';
import { realCli, testedVersions } from '../harness/real-cli.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { openStage, type Stage } from './stage.ts';

/** A command that does not end; 2.1.325 refuses a plain `sleep` in the foreground. */
const WAITING = 'tail -f /dev/null';

const BASH = toolUse('Bash', { command: WAITING });

const REPLIES: Readonly<Record<string, Reply>> = {
  'run it': BASH,
  'say it and run it': [text('then'), BASH],
  'say it and go on': [text('then'), until(new Promise(() => {}))],
};

/** The states in which the sessions of a release end. */
const STATES_AT_END = ['idle', 'running', 'killed', 'aborted'] as const;

interface Opened {
  readonly session: Session;
  readonly events: Promise<RunEvent[]>;
  readonly controller: AbortController;
  /** Its running processes, orphans included. */
  processes(): ProcessInfo[];
}

describe('concurrent sessions', () => {
  const all = new Map<string, Opened>();
  let stage: Stage;
  let greetings: string[] = [];

  beforeAll(async () => {
    stage = await openStage(({ lastUserText }) => REPLIES[lastUserText] ?? text(`${lastUserText} to you`));
    for (const version of testedVersions) for (const end of STATES_AT_END) all.set(`${end} ${version}`, open(version));
    const turns = [...all.values()].map(({ session }, index) => session.send(`hello ${index}`));
    greetings = await Promise.all(turns.map((turn) => turn.text()));
  });
  afterAll(() => stage?.[Symbol.asyncDispose]());

  /** Starts a session whose processes can be distinguished from those of the others. */
  function open(version: string, controller: AbortController = new AbortController()): Opened {
    const mark = join(stage.home.root, `mark ${crypto.randomUUID()}`);
    const session = stage.open({
      cli: realCli(version),
      allowedTools: ['Bash'],
      // The session does not request the settings at the start.
      settingSources: [],
      signal: controller.signal,
      env: { COX_MARK: mark },
      limits: { graceMs: 20_000 },
    });
    return { session, events: collect(session), controller, processes: () => processesOf(mark) };
  }

  function opened(end: (typeof STATES_AT_END)[number], version: string): Opened {
    const found = all.get(`${end} ${version}`);
    if (found === undefined) throw new Error(`There is no session of ${version} for "${end}".`);
    return found;
  }

  it(`[S-1] of ${testedVersions.join(' and ')} each have their own conversation`, () => {
    const sessions = [...all.values()].map(({ session }) => session);
    const count = STATES_AT_END.length * testedVersions.length;
    expect(greetings).toEqual(sessions.map((_, index) => `hello ${index} to you`));
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(count);
    expect(new Set(sessions.map(({ pid }) => pid)).size).toBe(count);
    expect(new Set(stage.api.conversation.map(({ sessionId }) => sessionId)).size).toBe(count);
    expect(stage.api.conversation).toHaveLength(count);
  });

  describe.concurrent.each(testedVersions)('a session with %s', (version) => {
    it('[S-4, S-9, R-2, R-3] closes cleanly if it is idle', async () => {
      const { session, events, processes } = opened('idle', version);
      expect(processes()).not.toEqual([]);
      const [report, again] = await Promise.all([session.close(), session.close()]);
      expect(report).toEqual({ exitCode: 0, signal: null, ended: 'by-itself' });
      expect(again).toEqual(report);
      expect(await session.closed).toEqual(report);
      expect(session.state).toBe('stopped');
      expect(processes()).toEqual([]);

      const seen = await events;
      expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, index) => index));
      expect(seen.map(({ type }) => type).filter((type) => EVENTS.includes(type))).toEqual(EVENTS);
      expect(seen.flatMap((event) => (event.type === 'state-changed' ? event.state : []))).toEqual(STATES);
      expect(JSON.parse(JSON.stringify(seen))).toEqual(seen);

      await expect(session.send('too late').text()).rejects.toBeInstanceOf(SessionStoppedError);
      await expect(session.contextUsage()).rejects.toBeInstanceOf(SessionStoppedError);
    });

    it('[S-9, S-10, R-1, R-2] exits without a signal if it is closed during a Bash command, and leaves no Bash process', async () => {
      const { session, processes } = opened('running', version);
      const running = session.send('run it');
      const waiting = session.send('second prompt');
      const failures = Promise.all([running, waiting].map((turn) => turn.text().catch((error: unknown) => error)));
      await bashOf(processes);

      const report = await session.close();
      expect(report).toMatchObject({ signal: null, ended: 'by-itself' });
      await noneLeft({ processes });
      expect(session.state).toBe('stopped');
      for (const failure of await failures) expect(failure).toBeInstanceOf(SessionStoppedError);
      const asked = stage.api.conversation.filter(({ sessionId }) => sessionId === session.id);
      expect(asked.map(({ lastUserText }) => lastUserText)).toEqual([expect.stringMatching(/^hello/), 'run it']);
    });

    it('[S-10, R-1] fails immediately if it is killed during a Bash command, rejects every pending promise, and leaves no Bash process', async () => {
      const { session, events, processes } = opened('killed', version);
      const running = session.send('say it and run it');
      const waiting = session.send('second prompt');
      const types: string[] = [];
      const rest = (async () => {
        for await (const message of running) types.push(message.type);
      })().catch((error: unknown) => error);
      const unsent = waiting.text().catch((error: unknown) => error);
      await bashOf(processes);
      await waitUntil(() => types.includes('assistant'), { what: 'the answer before the command' });

      const killedAt = performance.now();
      process.kill(Number(session.pid), 'SIGKILL');
      const failure = await rest;
      expect(failure).toBeInstanceOf(ProcessError);
      expect(failure).toMatchObject({ code: 'process', exitCode: null, signal: 'SIGKILL' });
      await expect(running.text()).rejects.toBe(failure);
      expect(await unsent).toBeInstanceOf(SessionStoppedError);
      expect(await unsent).toMatchObject({ cause: failure });
      await expect(session.contextUsage()).rejects.toMatchObject({ code: 'session-stopped', cause: failure });
      expect(performance.now() - killedAt).toBeLessThan(15_000);
      expect(session.state).toBe('failed');
      expect(await session.closed).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
      expect((await events).at(-1)).toMatchObject({ type: 'failed', error: { code: 'process', signal: 'SIGKILL' } });
      expect(session.health()).toMatchObject({ status: 'unhealthy' });
      expect(isAlive(Number(session.pid))).toBe(false);
      await noneLeft({ processes });
    });

    it('[S-1, S-9] fails if its signal is aborted while it starts, and closes cleanly if the signal is aborted later', async () => {
      const never = open(version);
      never.controller.abort('not at all');
      await expect(never.session.ready).rejects.toMatchObject({ code: 'abort', cause: 'not at all' });
      expect(never.processes()).toEqual([]);

      const { session, controller, processes } = opened('aborted', version);
      const turn = session.send('say it and go on');
      for await (const message of turn) if (message.type === 'assistant') break;
      controller.abort();
      expect(await session.closed).toMatchObject({ ended: 'by-itself' });
      expect(session.state).toBe('stopped');
      await expect(turn.text()).rejects.toBeInstanceOf(SessionStoppedError);
      expect(processes()).toEqual([]);
    });
  });
});

describe.concurrent.each(testedVersions)('a SessionEnd hook of %s that leaves a process behind', (version) => {
  it('[R-3] has started it after the shutdown request, and close() still ends it', async () => {
    await using stage = await openStage(() => text('done'));
    const started = join(stage.home.project, 'started');
    // In a separate session, so that it is in no process group of the CLI.
    const command = `setsid ${WAITING} >/dev/null 2>&1 & echo $! >'${started}'`;
    const hooks = { SessionEnd: [{ hooks: [{ type: 'command', command }] }] };
    const session = await stage.start({ cli: realCli(version), settings: { hooks } });
    expect(await session.send('first prompt').text()).toBe('done');
    expect(existsSync(started)).toBe(false);
    await session.close();
    expect(existsSync(started)).toBe(true);
    await noneLeft(stage);
  });
});

async function bashOf(processes: () => ProcessInfo[]): Promise<void> {
  const runs = (): boolean => processes().some(({ command }) => command === WAITING);
  await waitUntil(runs, { timeoutMs: 20_000, what: 'the running Bash' });
}

/** The events of a session with one turn; others may occur between them. */
const EVENTS = [
  'started',
  'request-sent',
  'request-answered',
  'ready',
  'turn-started',
  'turn-ended',
  'request-sent',
  'request-answered',
  'exit',
  'stopped',
];

const STATES = ['init-sent', 'running', 'stopping', 'stopped'];

async function collect(session: Session): Promise<RunEvent[]> {
  const all: RunEvent[] = [];
  for await (const event of session.events()) if (event.type !== 'gap') all.push(event);
  return all;
}
