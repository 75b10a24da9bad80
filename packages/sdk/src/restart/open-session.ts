import { checkAnswer } from '../callbacks/check-answer.ts';
import { planSessionRun } from '../conversation/plan.ts';
import { type OptionProblem, OptionsError } from '../errors/options.ts';
import type { HostFacts } from '../options/environment.ts';
import { checkHooksOff } from '../options/hooks-off.ts';
import { type OptionLayer, ownLayer, readLayer } from '../options/option-layer.ts';
import type { AgentOptions } from '../options/option-types.ts';
import { NO_PLAN, planSession, type RunPlan } from '../options/plan.ts';
import { withDenials } from '../options/process-options.ts';
import { checkParked, type ResumedRequest } from '../park/parked-request.ts';
import { openReport, type Report } from '../report/report.ts';
import type { ObservedSlot } from '../report/run-observer.ts';
import { SessionHandle } from '../session/handle.ts';
import type { Session } from '../session/session.ts';
import { SingleSession } from '../session/single-session.ts';
import type { InContext } from '../timing/caller.ts';
import { isJsonObject } from '../wire/kinds.ts';
import { type CheckedPolicy, checkPolicy, type RestartPolicy } from './policy.ts';
import { RestartingSession } from './restarting-session.ts';
import type { PlanTurn } from './session-processes.ts';

/** The options of a session, and whether the CLI is restarted when it dies. */
export type OpenSessionOptions<T = unknown> = AgentOptions<T> & {
  /** `true`, or a policy: the session starts another CLI when its CLI dies. Off by default. */
  readonly restart?: boolean | RestartPolicy | undefined;
  /**
   * What `session.park()` returned, and optionally the `answer`: the CLI asks for the permission again, and `parkedTurn` is the
   * turn. Needs the `sessionStore` in which the conversation is.
   */
  readonly parked?: ResumedRequest | undefined;
};

/** Opens a session and returns immediately; `ready` settles when the CLI has answered the handshake. Never throws. */
export function openSession<T = unknown>(options: OpenSessionOptions<T> = {}): Session<T> {
  return openSessionWith(options, []);
}

/** The same with layers of options below those of the call, the strongest first. */
export function openSessionWith<T>(options: OpenSessionOptions<T>, below: readonly OptionLayer[]): Session<T> {
  const given = readLayer(options, { beside: ['restart', 'parked'] });
  const { restart } = given.beside;
  const problems: OptionProblem[] = [];
  const report = (path: string, message: string): void => void problems.push({ path, message });
  const parked = given.beside.parked === undefined ? undefined : checkParked(given.beside.parked, report);
  const layers = parked ? parkedLayers(parked, given, below) : [given, ...below];
  if (restart === undefined || restart === false) return openPlainSession(layers, { parked, problems });
  const policy = checkPolicy(restart === true ? {} : restart, (problem) => problems.push(problem));
  return openRestartingSession(layers, policy, { parked, problems });
}

/** Checks the options of a session that resumes a parked request. */
function checkResuming(parked: ResumedRequest, options: AgentOptions, problems: OptionProblem[]): void {
  const report = (path: string, message: string): void => void problems.push({ path, message });
  if (options.sessionStore === undefined) report('parked', 'needs the sessionStore in which the conversation is.');
  for (const name of ['continue', 'forkSession', 'resumeAt', 'sessionId'] as const) {
    if (options[name] !== undefined) report(name, 'cannot be combined with parked, which names the conversation.');
  }
  if (typeof options.settings === 'string') {
    report('settings', 'must be an object with parked, because a hook is added to it: pass the content of the file.');
  }
  if (isJsonObject(options.settings) && options.settings.disableAllHooks === true) {
    report('settings.disableAllHooks', 'cannot be true with parked: a hook makes the CLI ask.');
  }
  checkHooksOff({ ...options, hooks: { PreToolUse: () => undefined } }, report);
  if (parked.permissionMode !== undefined && options.permissionMode !== parked.permissionMode) {
    report(
      'permissionMode',
      `must be ${parked.permissionMode} with parked, as when the request was made, or be left out.`,
    );
  }
  if (options.resume !== parked.sessionId) report('resume', 'must be the conversation of parked, or be left out.');
  if (parked.answer === undefined) {
    if (!options.canUseTool) report('parked', 'needs an answer, or canUseTool, which decides.');
    return;
  }
  try {
    checkAnswer(parked.answer, parked.request, options);
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    for (const { message } of error.problems) report('parked.answer', message);
  }
}

/** The conversation, and the mode and the model in which the request was made unless the caller chooses others. */
function parkedLayers(parked: ResumedRequest, given: OptionLayer, below: readonly OptionLayer[]): OptionLayer[] {
  const { sessionId: resume, permissionMode, model } = parked;
  return [given, readLayer({ resume, permissionMode, model }), ...below];
}

/** Opens a session that ends with its CLI. */
export function openPlainSession<T>(
  layers: readonly OptionLayer[],
  { parked, problems = [], pool }: PlainSessionParts = {},
): SessionHandle<T> {
  const run = planned(layers, problems, pool && hostIn(pool.hostCwd));
  if (parked) checkResuming(parked, run.options, problems);
  const report = pool ? pool.inContext(() => reportOf(run, problems, pool.place)) : reportOf(run, problems);
  const session = new SingleSession(planSessionRun(run, parked), report, refusalFor(problems));
  return new SessionHandle<T>(session, report, { layers, open: (others) => openPlainSession(others) });
}

/** The inputs of a session besides its options. */
interface OpenedWith {
  readonly parked?: ResumedRequest | undefined;
  /** The known problem of its options. */
  readonly problems?: OptionProblem[];
}

interface PlainSessionParts extends OpenedWith {
  readonly pool?: PoolPlace;
}

/** The place of a session in a pool, and the async context of the pool. */
export interface PoolPlace {
  readonly place: ObservedSlot;
  readonly inContext: InContext;
  /** The working directory of the host when the pool was created. */
  readonly hostCwd: string | undefined;
}

/** Opens a session that outlives its CLI. */
function openRestartingSession<T>(
  layers: readonly OptionLayer[],
  policy: CheckedPolicy,
  { parked, problems = [] }: OpenedWith = {},
): SessionHandle<T> {
  const plan = planned(layers, problems);
  if (parked) checkResuming(parked, plan.options, problems);
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
  const session = new RestartingSession({ plan, planTurn, parked }, policy, refusalFor(problems), report);
  return new SessionHandle<T>(session, report, {
    layers,
    open: (others) => openRestartingSession(others, policy),
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
