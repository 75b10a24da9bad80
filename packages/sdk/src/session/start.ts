import { availableParallelism } from 'node:os';
import { shadowedPermissions } from '../callbacks/policy.ts';
import { errorOf } from '../errors/base.ts';
import { CliExitedDuringInitError, InitializationTimeoutError } from '../errors/start.ts';
import { type Launch, prepareLaunch } from '../launch/launch.ts';
import { modeInSettings } from '../options/permission-mode.ts';
import { hintFor, processFailure, sandboxRefusal } from '../process/process-failure.ts';
import type { ExitReport } from '../process/transport.ts';
import { keepingProcessAlive, within } from '../timing/timers.ts';
import { warning } from '../warnings/warning.ts';
import { isStarting } from './lifecycle.ts';
import { Link } from './link.ts';
import type { LiveSession } from './live.ts';
import { warnOfUnrequested } from './loaded.ts';
import { requireHooks } from './required-hooks.ts';
import { StartGate } from './start-gate.ts';
import { launchFromStore } from './store-use.ts';

/** One per host process: many starts at once would slow each other down. */
const gate = new StartGate(2 * availableParallelism());

/** Starts the CLI and performs the handshake. When it rejects, the process is gone. @throws the start error */
export async function startSessionProcess(session: LiveSession): Promise<void> {
  const place = gate.enter(session.limits.parallelStarts);
  void session.closed.then(() => place.leave());
  await place.admitted;
  try {
    await begin(session, await prepare(session));
    await greet(session);
    await requireHooks(session);
    // Waiting for servers takes nothing away from other starts.
    place.leave();
    await session.servers.started();
    await beReady(session);
  } catch (error) {
    throw await startFailure(session, error);
  } finally {
    place.leave();
  }
}

/** The error for a process that exited unexpectedly: while the session started, or later. */
export function exitFailure(session: LiveSession, exit: ExitReport): Error {
  const { exitCode, signal } = exit;
  if (isStarting(session.state)) {
    const noSandbox = sandboxRefusal(session.stderr.text());
    if (noSandbox) return noSandbox;
    const { lastWords, stderr } = session;
    const stdoutWasEmpty = !session.incoming.heard;
    const hint = hintFor({ exitCode, signal, stderr: stderr.raw(), stdout: lastWords.said, stdoutWasEmpty });
    const failure = new CliExitedDuringInitError({ exitCode, signal, hint }, { ...lastWords, cause: exit.error });
    return session.cli.explained(failure, stderr.raw());
  }
  return processFailure(exit, session.stderr);
}

async function prepare(session: LiveSession): Promise<Launch> {
  requireStarting(session);
  const { run, given } = session.plan;
  const permissionMode = session.settings.known.permissionMode ?? modeInSettings(run.options);
  const { canUseTool, allowedTools, agents } = given;
  const shadowed = shadowedPermissions({ canUseTool, allowedTools, permissionMode, agents });
  for (const warned of [...run.warnings, ...shadowed]) session.warn(warned);
  await session.tools?.open();
  // With a tap the session is a query, which is as strict as one that needs no session.
  const toleratesUnknown = session.tap === undefined;
  const watched = session.watchers.environment();
  const launch = prepareLaunch({ ...run, mode: 'session', toleratesUnknown, watched }, (warned) =>
    session.warn(warned),
  );
  return run.options.sessionStore ? launchFromStore(session, run.options.sessionStore, launch) : launch;
}

async function begin(session: LiveSession, launch: Launch): Promise<void> {
  requireStarting(session);
  session.cli.launched(launch);
  session.link = new Link(session, session.incoming, launch.transport);
  const { startTimeoutMs } = session.limits;
  const started = session.link.start(launch.request).then(() => true);
  if (!(await within(startTimeoutMs, started))) throw new InitializationTimeoutError(startTimeoutMs, session.lastWords);
  session.report.event({ type: 'started', pid: launch.transport.pid ?? null });
  void session.cli.refusal.then((error) => error && session.refused(error));
}

async function greet(session: LiveSession): Promise<void> {
  requireStarting(session);
  const answer = session.requests.handshake(session.plan.initialize, session.closed);
  session.dispatch('handshake-sent');
  if (!session.cli.handshake(await answer)) {
    const message = 'The CLI answered the handshake without its commands, models, agents or capabilities.';
    session.warn(warning('capabilities-missing', message, { cliVersion: session.cli.release ?? null }));
  }
  await session.cli.requireGuards();
}

async function beReady(session: LiveSession): Promise<void> {
  await askCarriedCost(session);
  requireStarting(session);
  session.dispatch('handshake-answered');
  session.report.event({ type: 'ready', sessionId: session.id ?? null });
  void warnOfUnrequested(session);
}

/** How long the CLI may take to report the costs it begins with. */
const ASK_BASE_MS = 2_000;

/** The costs that a resumed process begins with can only be asked for before its first prompt. */
async function askCarriedCost(session: LiveSession): Promise<void> {
  const { cli, requests, costs } = session;
  if (!costs.mustAskBase) return;
  if (cli.release === undefined) await cli.versionKnown();
  if (!costs.mustAskBase) return;
  // A CLI that does not know the request cannot answer it; one that is gone fails the session.
  const asked = requests.send('get_usage', {}, { timeoutMs: ASK_BASE_MS }).catch(() => undefined);
  costs.baseAnswered(await within(ASK_BASE_MS, asked));
}

/** Fails the session and returns its error once the process is gone. */
async function startFailure(session: LiveSession, error: unknown): Promise<unknown> {
  session.fail(errorOf(error));
  await keepingProcessAlive(session.closed);
  return session.failure ?? error;
}

/** @throws the error that ended the session while it was starting */
function requireStarting(session: LiveSession): void {
  if (isStarting(session.state)) return;
  throw session.failure ?? session.stoppedError('The session was closed while it was starting');
}
