import { text, toolUse, until } from '@coxswain/testkit';
import { isAssistant, ProcessError, type RunEvent, type Session, SessionStoppedError } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { testedVersions } from '../harness/real-cli.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { openStage } from './stage.ts';

/** A command that does not end; 2.1.325 refuses a mere `sleep` in the foreground. */
const WAITING = 'tail -f /dev/null';

const FOREVER = until(new Promise(() => {}));

describe.concurrent.each(testedVersions)('a session with %s', (version) => {
  it('[S-4, S-9, R-2, R-3] that is idle stops in good order', async () => {
    await using stage = await openStage([text('first answer')], { version });
    const session = await stage.start();
    const events = collect(session);
    const turn = session.send('first prompt');
    await turn.text();
    const [report, again] = await Promise.all([session.stop(), session.stop()]);
    expect(report).toEqual({ exitCode: 0, signal: null, ended: 'by-itself' });
    expect(again).toEqual(report);
    expect(await session.closed).toEqual(report);
    expect(session.state).toBe('stopped');
    expect(stage.processes()).toEqual([]);

    const all = await events;
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index));
    expect(all.map(({ type }) => type).filter((type) => TOLD.includes(type))).toEqual(TOLD);
    expect(all.flatMap((event) => (event.type === 'state-changed' ? event.state : []))).toEqual(STATES);
    expect(JSON.parse(JSON.stringify(all))).toEqual(all);

    await expect(session.send('too late').text()).rejects.toBeInstanceOf(SessionStoppedError);
    await expect(session.contextUsage()).rejects.toBeInstanceOf(SessionStoppedError);
  });

  it('[S-9, S-10, R-1, R-2] that runs a Bash is gone within two seconds, and so is the Bash', async () => {
    await using stage = await openStage([toolUse('Bash', { command: WAITING })], { version });
    const session = await stage.start({ allowedTools: ['Bash'] });
    const running = session.send('first prompt');
    const waiting = session.send('second prompt');
    const failures = Promise.all([running, waiting].map((turn) => turn.text().catch((error: unknown) => error)));
    await stage.runs(WAITING);

    const stoppedAt = performance.now();
    const report = await session.stop();
    expect(performance.now() - stoppedAt).toBeLessThan(2_000);
    expect(report).toMatchObject({ signal: null, ended: 'by-itself' });
    expect(stage.processes()).toEqual([]);
    expect(session.state).toBe('stopped');
    for (const failure of await failures) expect(failure).toBeInstanceOf(SessionStoppedError);
    expect(stage.api.conversation).toHaveLength(1);
  });

  it('[S-10] that is killed fails at once, with everyone who waits', async () => {
    await using stage = await openStage([[text('then'), FOREVER]], { version });
    const session = await stage.start();
    const events = collect(session);
    const running = session.send('first prompt');
    const waiting = session.send('second prompt');
    const reader = running[Symbol.asyncIterator]();
    for (let next = await reader.next(); next.value?.type !== 'assistant'; next = await reader.next());
    const rest = reader.next().catch((error: unknown) => error);
    const unsent = waiting.text().catch((error: unknown) => error);

    const killedAt = performance.now();
    process.kill(Number(session.pid), 'SIGKILL');
    const failure = await rest;
    expect(failure).toBeInstanceOf(ProcessError);
    expect(failure).toMatchObject({ code: 'process', exitCode: null, signal: 'SIGKILL' });
    await expect(running.text()).rejects.toBe(failure);
    expect(await unsent).toBeInstanceOf(SessionStoppedError);
    expect(await unsent).toMatchObject({ cause: failure });
    await expect(session.contextUsage()).rejects.toMatchObject({ code: 'session-stopped', cause: failure });
    expect(performance.now() - killedAt).toBeLessThan(1_000);
    expect(session.state).toBe('failed');
    expect(await session.closed).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
    expect((await events).at(-1)).toMatchObject({ type: 'failed', error: { code: 'process', signal: 'SIGKILL' } });
    expect(session.health()).toMatchObject({ status: 'unhealthy' });
    expect(stage.processes()).toEqual([]);
  });

  it('[S-10, R-1] that is killed while it runs a Bash leaves none behind', async () => {
    await using stage = await openStage([toolUse('Bash', { command: WAITING })], { version });
    const session = await stage.start({ allowedTools: ['Bash'] });
    const failure = session
      .send('first prompt')
      .text()
      .catch((error: unknown) => error);
    await stage.runs(WAITING);
    process.kill(Number(session.pid), 'SIGKILL');
    expect(await failure).toBeInstanceOf(ProcessError);
    await waitUntil(() => stage.processes().length === 0, { timeoutMs: 2_000, what: 'the end of all processes' });
  });

  it('[S-1, S-9] that its signal aborts stops: while it starts with an error, later in good order', async () => {
    await using stage = await openStage([[text('then'), FOREVER]], { version });
    const early = new AbortController();
    const never = stage.open({ signal: early.signal });
    early.abort('not at all');
    await expect(never.ready).rejects.toMatchObject({ code: 'abort', cause: 'not at all' });
    expect(stage.processes()).toEqual([]);

    const late = new AbortController();
    const session = await stage.start({ signal: late.signal });
    const turn = session.send('first prompt');
    for await (const message of turn) if (isAssistant(message)) break;
    late.abort();
    expect(await session.closed).toMatchObject({ ended: 'by-itself' });
    expect(session.state).toBe('stopped');
    await expect(turn.text()).rejects.toBeInstanceOf(SessionStoppedError);
  });

  it('[S-9] that its block leaves stops, and one that leaves by itself when idle has ended', async () => {
    await using stage = await openStage([], { version });
    {
      await using session = await stage.start();
      expect(session.state).toBe('running');
    }
    expect(stage.processes()).toEqual([]);

    const session = await stage.start();
    await session.request('end_session');
    expect(await session.closed).toEqual({ exitCode: 0, signal: null, ended: 'by-itself' });
    expect(session.state).toBe('ended');
  });
});

/** What a session with one turn tells, whatever else it tells between. */
const TOLD = [
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
