import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type ReplyStep, text, toolUse } from '@coxswain/testkit';
import type { AgentOptions, McpServerConfig } from 'coxswain';
import { SessionStoppedError } from 'coxswain/errors';
import { tool, toolServer } from 'coxswain/mcp';
import type { SpawnFunction } from 'coxswain/transport';
import { describe, expect, it } from 'vitest';
import { LONG_FORM } from '../../packages/sdk/test/support/long-form.ts';
import { noneLeft } from '../harness/none-left.ts';
import { testedVersions } from '../harness/real-cli.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { openStage, type Stage } from './stage.ts';

const TRACE_SERVER = fileURLToPath(new URL('./trace-server.mjs', import.meta.url));

/** As many runs per release as there are kinds of them; the long form runs each a few times. */
const runs = (kinds: number, inTheLongForm: number): number[] =>
  Array.from({ length: LONG_FORM ? inTheLongForm : kinds }, (_, run) => run + 1);

describe.concurrent.each(testedVersions)('close() of a session of %s', (version) => {
  it.each(runs(2, 5))('[S-9] while a guard is pending for one call: no guarded tool runs (run %i)', async (run) => {
    const guard = thinker();
    await using stage = await openStage(version, {
      allowedTools: ['Write', 'Bash'],
      hooks: { PreToolUse: guard.think },
    });
    const calls = Array.from({ length: 3 }, (_, n) => (run % 2 === 0 ? write(stage, n) : bash(n)));
    await stopped(stage, calls, () => guard.signals.length > 0);
    expect(readdirSync(stage.home.project)).toEqual([]);
    expect(guard.signals.every(({ aborted }) => aborted)).toBe(true);
    expect(stage.warnings[0]).toMatchObject({
      code: 'hook-failed',
      context: { failure: 'session-stop', policy: 'block' },
    });
  });

  it.each(runs(4, 10))(
    '[S-8, S-9, S-11] while guards are pending for 40 calls: no guarded tool runs, each call is denied, the CLI is asked to end, and only then its stdin closes (run %i)',
    async (run) => {
      const guard = thinker();
      const lines: string[] = [];
      // A guard that is stopped denies, whatever its policy for failures says.
      const onFailure = run % 4 === 3 ? 'block' : 'continue';
      await using stage = await openTraced(version, {
        spawn: watchingSpawn(lines),
        hooks: { PreToolUse: { run: guard.think, onFailure } },
      });
      const calls = [...Array.from({ length: 40 }, (_, n) => trace(n)), write(stage, 40), bash(41)];
      const enough = [1, 10, 31, 32][run % 4] ?? 32;
      await stopped(stage, calls, () => guard.signals.length >= enough);
      expect(guard.signals.length).toBeLessThanOrEqual(32);
      expect(readdirSync(stage.home.project)).toEqual([]);
      const closed = lines.includes('<end>') ? lines.indexOf('<end>') : lines.length;
      const before = lines.slice(0, closed);
      const denials = before.filter((line) => line.includes('"permissionDecision":"deny"'));
      expect(denials.length).toBeGreaterThanOrEqual(enough === 32 ? 40 : guard.signals.length);
      expect(before.filter((line) => line.includes('"subtype":"end_session"'))).toHaveLength(1);
    },
  );

  it('[S-9] the tools of those runs do run when the guard allows them, and the idle session exits without a signal', async () => {
    await using stage = await openTraced(version, { hooks: { PreToolUse: () => {} } });
    const calls = [...Array.from({ length: 40 }, (_, n) => trace(n)), write(stage, 40), bash(41)];
    await stage.play([calls, text('done')]);
    expect(readdirSync(stage.home.project)).toHaveLength(42);
    expect(await stage.session.close()).toEqual({ exitCode: 0, signal: null, ended: 'by-itself' });
    expect(lastEvents(stage)).toEqual(['stopped']);
  });

  it('[S-9] while canUseTool is pending: the tool is refused, and its signal is aborted', async () => {
    const person = thinker();
    await using stage = await openStage(version, { canUseTool: person.think, limits: PATIENT });
    await stopped(stage, [write(stage, 1)], () => person.signals.length > 0);
    expect(person.signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(stage.session.pendingPermissions()).toEqual([]);
    expect(readdirSync(stage.home.project)).toEqual([]);
  });

  it('[S-9] while a UserPromptSubmit hook is pending: no request reaches the model', async () => {
    const guard = thinker();
    await using stage = await openStage(version, { hooks: { UserPromptSubmit: guard.think }, limits: PATIENT });
    await stopped(stage, [text('unheard')], () => guard.signals.length > 0);
    expect(stage.api.conversation).toEqual([]);
  });

  it('[S-9, T-3] while a tool of the host runs: its signal is aborted', async () => {
    const handler = thinker();
    const endless = tool('endless', 'Never ends', { type: 'object' }, handler.think);
    const mcpServers = { host: toolServer({ name: 'host', tools: [endless] }) };
    await using stage = await openStage(version, { mcpServers, limits: PATIENT });
    await stopped(stage, [toolUse('mcp__host__endless', {})], () => handler.signals.length > 0);
    expect(handler.signals.map(({ aborted }) => aborted)).toEqual([true]);
  });
});

/** A busy machine may need longer than the usual 5 s for the exit. */
const PATIENT = { graceMs: 20_000 };

/** A callback that never answers, and the signal of each call. */
function thinker() {
  const signals: AbortSignal[] = [];
  return {
    signals,
    think(_: unknown, { signal }: { readonly signal: AbortSignal }): Promise<never> {
      signals.push(signal);
      return new Promise(() => {});
    },
  };
}

/** Lets the model make some calls, closes the session once `ready`, and checks what each pending promise gets. */
async function stopped(stage: Stage, calls: readonly ReplyStep[], ready: () => boolean): Promise<void> {
  const turn = stage.begin([calls, text('unheard')]);
  const waiting = stage.begin([text('unheard')]);
  const ends = Promise.allSettled([turn.result(), waiting.result()]);
  await waitUntil(ready, { timeoutMs: 20_000, what: 'the callback' });
  // It was not killed, which would happen after `graceMs`.
  expect(await stage.session.close()).toMatchObject({ signal: null, ended: 'by-itself' });
  for (const end of await ends) {
    expect(end).toMatchObject({ status: 'rejected', reason: expect.any(SessionStoppedError) });
  }
  expect(stage.session.state).toBe('stopped');
  expect(lastEvents(stage)).toEqual(['stopped']);
  await noneLeft(stage);
}

function lastEvents(stage: Stage): string[] {
  return stage.events.map(({ type }) => type).filter((type) => ['stopped', 'ended', 'failed'].includes(type));
}

function openTraced(version: string, options: AgentOptions): Promise<Stage> {
  return openStage(version, {
    allowedTools: ['Write', 'Bash', 'mcp__trace'],
    mcpServers: { trace: traceServer },
    limits: PATIENT,
    ...options,
  });
}

/** It writes to the CLI's working directory. */
const traceServer: McpServerConfig = { command: process.execPath, args: [TRACE_SERVER, '.'] };

function trace(n: number): ReplyStep {
  return toolUse('mcp__trace__trace', { name: `ran-${n}` });
}

function write(stage: Stage, n: number): ReplyStep {
  return toolUse('Write', { file_path: stage.path(`ran-${n}`), content: 'ran' });
}

function bash(n: number): ReplyStep {
  return toolUse('Bash', { command: `echo ran > ran-${n}` });
}

/** Spawns the CLI and records what is written to its stdin, and when that is closed. */
function watchingSpawn(lines: string[]): SpawnFunction {
  return (command, args, options) => {
    const child = spawn(command, args, options);
    const { stdin } = child;
    if (stdin === null) return child;
    const write = stdin.write.bind(stdin);
    const end = stdin.end.bind(stdin);
    stdin.write = ((chunk: Uint8Array | string, ...rest: never[]) => {
      lines.push(...Buffer.from(chunk).toString('utf8').split('\n').filter(Boolean));
      return write(chunk, ...rest);
    }) as typeof stdin.write;
    stdin.end = ((...rest: never[]) => {
      lines.push('<end>');
      return end(...rest);
    }) as typeof stdin.end;
    return child;
  };
}
