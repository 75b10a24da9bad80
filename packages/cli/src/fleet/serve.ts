import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Fleet, FleetAgent } from '@coxswain/fleet';
import type { Inspector } from '@coxswain/inspector';
import { defaultExportOf } from '../agent-module.ts';
import { EXIT, type ExitCode, UsageError } from '../exit-codes.ts';
import { printNotice, type Terminal } from '../terminal/terminal.ts';
import { placeFlags } from './flag-values.ts';
import { type FleetFlags, loadFleet, openFleetOf, placeOf } from './open.ts';

interface AgentFlags extends FleetFlags {
  readonly agent?: string;
  readonly demo?: boolean;
  readonly slots?: number;
  readonly isolate?: boolean;
  readonly cli?: string;
}

export interface WorkerFlags extends AgentFlags {
  readonly name?: string;
  readonly credential?: string;
  readonly drain?: number;
  /** In seconds. */
  readonly keepWarm?: number;
  readonly maxWarm?: number;
  readonly prewarm?: number;
  readonly healthPort?: number;
  readonly healthHost?: string;
  readonly untilStdinEnds?: boolean;
  /** False if the database user is not allowed to create tables. */
  readonly create?: boolean;
}

export interface UpFlags extends AgentFlags {
  readonly workers?: number;
  readonly ui?: boolean;
  readonly uiPort?: number;
}

/** `cox fleet worker`: the first SIGTERM or SIGINT starts draining, the second ends the turns immediately. */
export async function worker(flags: WorkerFlags, terminal: Terminal): Promise<ExitCode> {
  const { startWorker, serveHealth } = await loadFleet();
  const agents = await agentsOf(flags);
  const { cli, slots, name, credential, drain = 30, keepWarm, maxWarm, prewarm, healthPort, healthHost } = flags;
  const onError = (error: unknown): void =>
    printNotice(terminal, `worker: ${error instanceof Error ? error.message : String(error)}`);
  const place = { ...placeOf(flags), create: flags.create };
  const keepWarmMs = keepWarm === undefined ? undefined : keepWarm * 1_000;
  const isolate = flags.isolate ? ('bubblewrap' as const) : undefined;
  const kept = { keepWarmMs, maxWarm, prewarm };
  const options = { ...agents, cli, isolate, slots, name, credential, ...kept, onError, connectTimeoutMs: 60_000 };
  const running = await startWorker({ ...place, ...options });
  const health =
    healthPort === undefined
      ? undefined
      : await serveHealth(running, { port: healthPort, host: healthHost, fleet: true });
  printNotice(terminal, `worker ${running.name} accepts turns${health ? `; health on port ${health.port}` : ''}`);
  const startDrain = (): void => {
    printNotice(terminal, `draining: running turns have ${drain} s; a second signal ends them immediately`);
    void running.drain({ timeoutMs: drain * 1000 });
  };
  const stop = onSignals((count) => {
    if (count === 1) startDrain();
    else if (count === 2) void running.stop();
    else process.exit(EXIT.interrupted);
  });
  if (flags.untilStdinEnds) process.stdin.on('error', startDrain).on('end', startDrain).resume();
  await running.stopped;
  stop();
  await health?.close();
  return EXIT.ok;
}

/** `cox fleet up`: the embedded database, worker processes and the inspector. Workers that exit are replaced. */
export async function up(flags: UpFlags, terminal: Terminal): Promise<ExitCode> {
  if (flags.agent === undefined && !flags.demo)
    throw new UsageError('Specify what the workers run: --agent <file>, or --demo.');
  await using fleet = await openFleetOf(flags, { create: true });
  // Before any worker starts: the command fails if the inspector cannot listen.
  await using inspector = flags.ui === false ? undefined : await openPage(fleet, flags, terminal);
  const url = flags.database ?? process.env.COXSWAIN_DATABASE_URL ?? fleet.embeddedUrl ?? '';
  const children = new Set<ChildProcess>();
  let stopping = false;
  const hire = (n: number): void => {
    const child = spawn(
      process.execPath,
      [...process.execArgv, process.argv[1] ?? '', ...workerArgs(flags, `worker-${n}`)],
      {
        // The URL may contain a password, which other users could read on the command line.
        env: { ...process.env, COXSWAIN_DATABASE_URL: url },
        // Nothing is written to the pipe: its end signals the worker that this process has ended, even after kill -9.
        stdio: ['pipe', 'inherit', 'inherit'],
        // Ctrl-C in a terminal reaches only this process, which then signals the workers.
        detached: true,
      },
    );
    children.add(child);
    child.stdin.on('error', () => {});
    child.on('error', (error) => printNotice(terminal, `worker-${n} did not start: ${error.message}`));
    child.on('exit', (code, signal) => {
      children.delete(child);
      if (stopping) return;
      printNotice(terminal, `worker-${n} ended (${signal ?? code}); its turns continue on other workers`);
      setTimeout(() => {
        if (!stopping) hire(n);
      }, 500);
    });
  };
  for (let n = 1; n <= (flags.workers ?? 2); n += 1) hire(n);
  printNotice(
    terminal,
    `The fleet is up. In another terminal: cox fleet submit ann "Fix the failing test" --follow${placeFlags(flags)}`,
  );
  if (inspector) {
    printNotice(terminal, 'To watch and control it, open this address in a browser:');
    terminal.stdout.write(`${inspector.url}\n`);
  }
  await new Promise<void>((done) => {
    const forget = onSignals((count) => {
      stopping = true;
      for (const child of children) child.kill(count > 2 ? 'SIGKILL' : 'SIGTERM');
      if (count > 1) return;
      void Promise.all([...children].map((child) => once(child, 'exit'))).then(() => {
        forget();
        done();
      });
    });
  });
  return EXIT.ok;
}

/** The inspector's page of the fleet. */
async function openPage(fleet: Fleet, { uiPort }: UpFlags, { env }: Terminal): Promise<Inspector> {
  const { openInspector } = await import('../ui/open-inspector.ts');
  return openInspector([fleet], { port: uiPort, token: env.COX_UI_TOKEN, name: 'fleet' });
}

function workerArgs({ agent, demo, isolate, slots, cli, schema }: UpFlags, name: string): string[] {
  return [
    'fleet',
    'worker',
    '--until-stdin-ends',
    '--name',
    name,
    ...(agent === undefined ? [] : ['--agent', agent]),
    ...(demo ? ['--demo'] : []),
    ...(isolate ? ['--isolate'] : []),
    ...(slots === undefined ? [] : ['--slots', String(slots)]),
    ...(cli === undefined ? [] : ['--cli', cli]),
    ...(schema === undefined ? [] : ['--schema', schema]),
  ];
}

/** Calls back with the number of signals received so far; returns a function that removes the listeners. */
function onSignals(onSignal: (count: number) => void): () => void {
  let count = 0;
  const listener = (): void => {
    count += 1;
    onSignal(count);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, listener);
  return () => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, listener);
  };
}

type Agents = { readonly agent: FleetAgent } | { readonly agents: Readonly<Record<string, FleetAgent>> };

async function agentsOf({ agent: file, demo, isolate }: AgentFlags): Promise<Agents> {
  if (demo && isolate)
    throw new UsageError('--isolate needs --agent: the scripted agent of --demo has no process to isolate.');
  if (demo) return { agent: (await import('./demo-agent.ts')).demoFleetAgent() };
  if (file === undefined) throw new UsageError('Specify what the worker runs: --agent <file>, or --demo.');
  const found = await defaultExportOf(file);
  if (isAgent(found)) return { agent: found };
  if (areAgents(found)) return { agents: found };
  throw new UsageError(
    `The default export of ${file} must be what defineAgent() returns, or an object with several of them by name.`,
  );
}

function areAgents(value: unknown): value is Readonly<Record<string, FleetAgent>> {
  return (
    typeof value === 'object' && value !== null && Object.keys(value).length > 0 && Object.values(value).every(isAgent)
  );
}

function isAgent(value: unknown): value is FleetAgent {
  return typeof value === 'object' && value !== null && 'options' in value && typeof value.options === 'function';
}
