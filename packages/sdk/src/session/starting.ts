import { availableParallelism } from 'node:os';
import { ControlRequestError, ControlTimeoutError } from '../errors/control.ts';
import { InitializationError, InitializationTimeoutError } from '../errors/start.ts';
import { TransportError } from '../errors/stream.ts';
import { type Launch, prepareLaunch } from '../launch/launch.ts';
import type { VersionWatch } from '../launch/version-watch.ts';
import { modeInSettings } from '../options/guarded-mode.ts';
import { shadowedPermissions } from '../permissions/shadowed.ts';
import type { Transport } from '../process/transport.ts';
import { holdingTheHost } from '../stream/hold-host.ts';
import { within } from '../stream/within.ts';
import { ASK_BASE_MS } from './carried-cost.ts';
import { lastWords } from './failure.ts';
import type { Link } from './link.ts';
import type { LiveSession } from './live.ts';
import { StartGate } from './start-gate.ts';

/** One per process: many starts at once would slow each other down, whoever asks for them. */
const gate = new StartGate(2 * availableParallelism());

/** Starts the CLI and shakes hands with it. When it rejects, the process is gone. @throws the start error */
export async function startSessionProcess(session: LiveSession, connect: Connect): Promise<void> {
  const place = gate.enter(session.limits.parallelStarts);
  session.place = place;
  await place.admitted;
  try {
    const launch = await prepared(session);
    await begun(session, launch, connect);
    await greeted(session, launch.versionWatch);
    place.leave(true);
  } catch (error) {
    throw await failed(session, error);
  } finally {
    place.leave();
    session.place = undefined;
  }
}

type Connect = (transport: Transport) => Link;

async function prepared(session: LiveSession): Promise<Launch> {
  stillWanted(session);
  const { run } = session.plan;
  const permissionMode = session.settings.known.permissionMode ?? modeInSettings(run.options);
  const { canUseTool, allowedTools } = session.givenOptions;
  const shadowed = shadowedPermissions({ canUseTool, allowedTools, permissionMode });
  for (const warning of [...run.warnings, ...shadowed]) session.warn(warning);
  await session.answering.tools?.open();
  // With a tap it is a query, which is as strict as one that needs no session.
  const kind = { mode: 'session', toleratesUnknown: session.tap === undefined } as const;
  return prepareLaunch(kind, run, (warning) => session.warn(warning));
}

async function begun(session: LiveSession, launch: Launch, connect: Connect): Promise<void> {
  stillWanted(session);
  session.cliVersion = launch.version;
  await connect(launch.transport).start(launch.request, session.stderr);
  session.report.event({ type: 'started', pid: launch.transport.pid ?? null });
  session.versionWatch = launch.versionWatch;
  void launch.versionWatch?.refusal.then((error) => error && session.fail(error));
}

async function greeted(session: LiveSession, watch: VersionWatch | undefined): Promise<void> {
  stillWanted(session);
  session.capabilities.fromHandshake(await session.handshake());
  await newEnough(session, watch);
  await askBase(session);
  stillWanted(session);
  session.dispatch({ type: 'handshake-answered' });
  session.report.event({ type: 'ready', sessionId: session.id ?? null });
}

/** What the session failed with, once its process is gone. */
async function failed(session: LiveSession, error: unknown): Promise<unknown> {
  // A CLI that has left cannot be written to: how it left says more.
  if (error instanceof TransportError) await within(session.limits.exitReadMs, session.closed);
  session.fail(startError(session, error));
  await holdingTheHost(session.closed);
  return session.failure ?? error;
}

/** An old CLI overlooks a guard it does not know: where one depends on it, no prompt is sent before the version is known. */
async function newEnough(session: LiveSession, watch: VersionWatch | undefined): Promise<void> {
  watch?.told(session.capabilities.current.cliVersion);
  const refusal = watch?.decisive ? await watch.refusal : undefined;
  if (refusal) throw refusal;
}

/** What a process was resumed with can only be asked for before it is given something to do. */
async function askBase(session: LiveSession): Promise<void> {
  const { carried } = session.costs;
  if (!carried.resumes) return;
  if (session.release === undefined) await session.versionKnown();
  if (!carried.mustAsk(session.release)) return;
  await session.ask('get_usage', {}, { timeoutMs: ASK_BASE_MS }).then(
    (answer) => carried.answered(answer),
    // A CLI that does not know the request cannot tell; one that is gone says so by its end.
    () => {},
  );
}

/** @throws what ended the session while it was starting */
function stillWanted(session: LiveSession): void {
  if (session.state === 'starting' || session.state === 'init-sent') return;
  throw session.failure ?? session.stoppedError('The session was stopped while it was starting');
}

function startError(session: LiveSession, error: unknown): Error {
  const words = { ...lastWords(session), cause: error };
  if (error instanceof ControlTimeoutError) return new InitializationTimeoutError(session.limits.startTimeoutMs, words);
  if (error instanceof ControlRequestError) return new InitializationError(error.message, words);
  return error instanceof Error ? error : new Error(String(error));
}
