import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Fleet, openFleet, startEmbedded } from '@coxswain/fleet';
import { startFakeApi } from '@coxswain/testkit';
import { POSTGRES_BINARIES } from '../../scripts/fetch/postgres.mjs';
import { type IsolatedHome, isolatedHome } from '../harness/isolated-home.ts';
import { processesOf } from '../harness/processes.ts';
import { realCli } from '../harness/real-cli.ts';
import { answerAll, callsWithoutResult, checkEffects, markersIn, model, promptOf } from './asking.ts';

/** The number of turns of the real CLI, and of workers that die. */
export interface KillPlan {
  readonly turns: number;
  readonly conversations: number;
  readonly workers: number;
  readonly slots: number;
  readonly kills: number;
  /** A third of the turns ask for a command, and are parked until a person answers. */
  readonly asking?: boolean;
  readonly version?: string;
  readonly report?: (line: string) => void;
}

/** The findings; everything that must not happen is in `problems`. */
export interface KillReport {
  readonly outcomes: Readonly<Record<string, number>>;
  readonly kills: number;
  readonly homes: number;
  /** Requests of the model whose history was compared with the stored transcript. */
  readonly compared: number;
  /** Answers to approvals, and how often turns were parked. */
  readonly answers: number;
  readonly parked: number;
  readonly seconds: number;
  readonly problems: readonly string[];
}

/** The points at which workers die, in turn. */
const STEPS = ['sent', 'answering', 'result', 'committing', 'committed', 'claimed'] as const;
const ASKING_STEPS = ['parked', 'opening', 'ran', ...STEPS] as const;

const LIMITS = { leaseMs: 6_000, sweepMs: 500, pollMs: 500, flushMs: 20 };

/** Runs turns on the real CLI while workers die, each worker with a new home, and compares histories. */
export async function runKills(plan: KillPlan): Promise<KillReport> {
  const started = performance.now();
  const directory = await mkdtemp(join(tmpdir(), 'coxswain-kills-'));
  await chmod(directory, 0o755);
  await using server = await startEmbedded({ directory, binaries: POSTGRES_BINARIES });
  const { asking = false } = plan;
  const effects = join(directory, 'effects');
  const api = await startFakeApi(model(effects));
  const steps = asking ? ASKING_STEPS : STEPS;
  const over = new AbortController();
  const fleet = await openFleet({ database: server.url, limits: LIMITS });
  const homes: IsolatedHome[] = [];
  const workers = new Set<ChildProcess>();
  const problems: string[] = [];
  let hired = 0;
  let killed = 0;
  let ending = false;
  const hire = async (): Promise<void> => {
    const home = await isolatedHome(api.url);
    homes.push(home);
    hired += 1;
    const dies = hired <= plan.kills;
    const dieAt = { step: steps[hired % steps.length], nth: 1 + (hired % 4) };
    const { slots } = plan;
    const config = {
      database: server.url,
      cli: realCli(plan.version),
      cwd: home.project,
      env: home.env(),
      limits: LIMITS,
      slots,
      asking,
      ...(dies && { dieAt }),
    };
    // It ends with this process, because its stdin closes.
    const child = spawn(process.execPath, [WORKER, JSON.stringify(config)], { stdio: ['pipe', 'ignore', 'inherit'] });
    child.stdin.on('error', () => {});
    workers.add(child);
    child.on('exit', () => {
      workers.delete(child);
      if (ending) return;
      killed += 1;
      plan.report?.(`worker ${hired} died (${killed})`);
      hire().catch((error: unknown) => problems.push(String(error)));
    });
  };
  try {
    const parked = countParked(fleet, over.signal);
    const turns = [];
    for (let n = 0; n < plan.turns; n += 1)
      turns.push(await fleet.submit({ key: `c${n % plan.conversations}`, prompt: promptOf(n, asking), id: `t${n}` }));
    for (let n = 0; n < plan.workers; n += 1) await hire();
    const answers = answerAll(fleet, over.signal);
    const outcomes: Record<string, number> = {};
    const ended = new Map<string, string>();
    for (const turn of turns) {
      const { outcome } = await turn.outcome();
      ended.set(turn.id, outcome.kind);
      outcomes[outcome.kind] = (outcomes[outcome.kind] ?? 0) + 1;
      if (outcome.kind === 'completed' && outcome.text !== `ANSWER-${turn.id.slice(1)}`)
        problems.push(`${turn.id} was answered with ${outcome.text}`);
      if (outcome.kind !== 'completed' && outcome.kind !== 'interrupted')
        problems.push(`${turn.id} ended as ${JSON.stringify(outcome)}`);
    }
    if (asking) problems.push(...(await checkEffects(fleet, effects, ended)));
    let compared = 0;
    for (let conversation = 0; conversation < plan.conversations; conversation += 1) {
      const recorded = markersIn(await fleet.transcript(`c${conversation}`));
      for (const request of api.requests.filter(({ isMainConversation }) => isMainConversation)) {
        const history = markersIn(request.turns);
        for (const id of callsWithoutResult(request)) problems.push(`the model saw the call ${id} without a result`);
        const asked = history.at(-1) ?? '';
        if (Number(asked.split('-')[1]) % plan.conversations !== conversation) continue;
        // An interrupted turn may lack what the worker could no longer store.
        const upTo = recorded.indexOf(asked);
        if (upTo < 0) continue;
        compared += 1;
        const expected = recorded.slice(0, upTo + 1).join(' ');
        if (history.join(' ') !== expected) problems.push(`the model saw ${history.join(' ')} instead of ${expected}`);
      }
    }
    ending = true;
    for (const worker of workers) worker.kill('SIGTERM');
    await Promise.all([...workers].map((worker) => once(worker, 'exit')));
    for (const home of homes)
      for (const { command } of processesOf(home.root)) problems.push(`left behind: ${command}`);
    return {
      outcomes,
      kills: killed,
      homes: homes.length,
      compared,
      answers: answers.size,
      parked: parked(),
      seconds: (performance.now() - started) / 1000,
      problems,
    };
  } finally {
    ending = true;
    over.abort();
    for (const worker of workers) worker.kill('SIGKILL');
    await fleet.close();
    await api.close();
    for (const home of homes) await home[Symbol.asyncDispose]();
    await server.close();
    await rm(directory, { recursive: true, force: true });
  }
}

const WORKER = fileURLToPath(new URL('./worker.mjs', import.meta.url));

/** Counts how often turns are parked, until the signal aborts. */
function countParked(fleet: Fleet, signal: AbortSignal): () => number {
  let count = 0;
  const watch = async (): Promise<void> => {
    for await (const { kind, detail } of fleet.events({ signal }))
      if (kind === 'turn-parked' || detail.fate === 'parked') count += 1;
  };
  watch().catch(() => {}); // The fleet was closed.
  return () => count;
}
