import { planSessionRun } from '../conversation/plan.ts';
import { type OptionProblem, OptionsError } from '../errors/options.ts';
import type { HostFacts } from '../options/environment.ts';
import { type OptionLayer, ownLayer, readLayer } from '../options/option-layer.ts';
import type { AgentOptions } from '../options/option-types.ts';
import { NO_PLAN, planSession, type RunPlan } from '../options/plan.ts';
import { withDenials } from '../options/process-options.ts';
import { openReport, type Report } from '../report/report.ts';
import type { ObservedSlot } from '../report/run-observer.ts';
import { SessionHandle } from '../session/handle.ts';
import type { Session } from '../session/session.ts';
import { SingleSession } from '../session/single-session.ts';
import type { InContext } from '../timing/caller.ts';
import { checkPolicy, type RestartPolicy, type Supervision } from './policy.ts';
import { RestartingSession } from './restarting-session.ts';
import type { PlanTurn } from './session-processes.ts';

/** The options of a session, and whether the CLI is restarted when it dies. */
export type OpenSessionOptions<T = unknown> = AgentOptions<T> & {
  /** `true`, or a policy: the session starts another CLI when its CLI dies. Off by default. */
  readonly restart?: boolean | RestartPolicy | undefined;
};

/** Opens a session and returns immediately; `ready` settles when the CLI has answered the handshake. Never throws. */
export function openSession<T = unknown>(options: OpenSessionOptions<T> = {}): Session<T> {
  return openSessionWith(options, []);
}

/** The same with layers of options below the call's own, the strongest first. */
export function openSessionWith<T>(options: OpenSessionOptions<T>, below: readonly OptionLayer[]): Session<T> {
  const given = readLayer(options, { beside: ['restart'] });
  const { restart } = given.beside;
  const layers = [given, ...below];
  if (restart === undefined || restart === false) return openPlainSession(layers);
  const problems: OptionProblem[] = [];
  const supervision = checkPolicy(restart === true ? {} : restart, (problem) => problems.push(problem));
  return openRestartingSession(layers, supervision, problems);
}

/** Opens a session that ends with its CLI. */
export function openPlainSession<T>(layers: readonly OptionLayer[], pool?: PoolPlace): SessionHandle<T> {
  const problems: OptionProblem[] = [];
  const run = planned(layers, problems, pool && hostIn(pool.hostCwd));
  const report = pool ? pool.inContext(() => reportOf(run, problems, pool.place)) : reportOf(run, problems);
  const session = new SingleSession(planSessionRun(run), report, refusalFor(problems));
  return new SessionHandle<T>(session, report, { layers, open: (others) => openPlainSession(others) });
}

/** Where a session belongs in a pool, and the async context of the pool. */
export interface PoolPlace {
  readonly place: ObservedSlot;
  readonly inContext: InContext;
  /** The working directory of the host when the pool was created. */
  readonly hostCwd: string | undefined;
}

/** Opens a session that outlives its CLI. */
function openRestartingSession<T>(
  layers: readonly OptionLayer[],
  supervision: Supervision,
  problems: OptionProblem[] = [],
): SessionHandle<T> {
  const plan = planned(layers, problems);
  const { persistSession, transport } = plan.options;
  if (persistSession === false) {
    const message = 'cannot be false with restart: there would be nothing to resume after a restart.';
    problems.push({ path: 'persistSession', message });
  }
  if (typeof transport === 'object') {
    const message = 'is one connection, and each restart needs another: pass a function that creates one.';
    problems.push({ path: 'transport', message });
  }
  const report = reportOf(plan, problems);
  const host = hostIn(plan.hostCwd);
  const denied = plan.options.disallowedTools;
  const planTurn: PlanTurn = (own) => planSession([ownLayer(withDenials(own, denied)), ...layers], host);
  const session = new RestartingSession({ plan, planTurn }, supervision, refusalFor(problems), report);
  return new SessionHandle<T>(session, report, {
    layers,
    open: (others) => openRestartingSession(others, supervision),
  });
}

/** The host as it was in this working directory. */
function hostIn(cwd: string | undefined): HostFacts {
  const { platform, env, getuid } = process;
  return { platform, env: { ...env }, ...(getuid && { getuid }), cwd: () => cwd };
}

function planned(layers: readonly OptionLayer[], problems: OptionProblem[], host: HostFacts = process): RunPlan {
  try {
    return planSession(layers, host);
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    problems.push(...error.problems);
    return NO_PLAN;
  }
}

function reportOf(plan: RunPlan, problems: readonly OptionProblem[], pool?: ObservedSlot): Report {
  return openReport('session', plan, { pool, refused: problems.length > 0 });
}

function refusalFor(problems: readonly OptionProblem[]): OptionsError | undefined {
  return problems.length > 0 ? new OptionsError(problems) : undefined;
}
