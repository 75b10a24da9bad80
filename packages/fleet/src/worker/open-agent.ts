import {
  type AgentOptions,
  type OpenSessionOptions,
  openSession,
  type PermissionRequest,
  type Session,
  type TurnOptions,
} from 'coxswain';
import type { AgentJob, FleetAgent, FleetAgentOptions } from '../agent/define-agent.ts';
import { type Stages, stagesOf } from '../approval/terms.ts';
import type { Database } from '../database/database.ts';
import { retryWhileUnavailable } from '../database/retry.ts';
import { AgentFunctionError, TurnDataError } from '../errors.ts';
import type { FleetLimits } from '../limits.ts';
import { budgetLeft } from '../turn/turn-budget.ts';
import type { AgentCalls } from './agent-calls.ts';
import { agentEnvironment } from './agent-environment.ts';
import { type AgentTerms, agentTerms, isBoundToProcess, sameTerms } from './agent-terms.ts';
import type { Approvals } from './approvals.ts';
import type { Claim } from './claim.ts';
import { passFence } from './fence.ts';
import { type Isolate, isolationOf } from './isolation.ts';
import type { ParkedClaim } from './parked-claim.ts';
import { guarded } from './process-guard.ts';
import { reserve } from './quota.ts';
import { type LinkedRun, SessionLink } from './session-link.ts';
import type { SpareSessions } from './spare-sessions.ts';
import { turnStore } from './turn-store.ts';
import type { WarmSession, WarmSessions } from './warm-sessions.ts';
import type { TurnWriter } from './writer.ts';

/** Everything the session of a turn is built from. */
export interface AgentParts {
  readonly claim: Claim;
  readonly agent: FleetAgent;
  readonly database: Database;
  readonly limits: FleetLimits;
  readonly writer: TurnWriter;
  readonly approvals: Approvals;
  /** Until when work on the database is repeated while it is down, by the monotonic clock. */
  readonly until: () => number;
  readonly calls: AgentCalls;
  /** Receives errors of the agent's functions outside of any call. */
  readonly fault: (error: unknown) => void;
  /** The processes of earlier turns. */
  readonly warm: WarmSessions;
  /** Processes for conversations that begin. */
  readonly spares: SpareSessions;
  /** The isolation that the worker requires. */
  readonly isolate: Isolate | undefined;
  /** The CLI of turns whose options select none. */
  readonly cli: AgentOptions['cli'];
  /** Receives what the agent must read before the prompt. */
  readonly onNotice: (text: string) => void;
  readonly onError: (error: unknown) => void;
}

/** The name for errors of hooks, tools and `canUseTool`, which run in the async context of the opened session or the sent prompt. */
export const CALLBACKS = 'canUseTool (or a hook, or a tool)';

/** The tenant has less left today than the budget of the turn. */
export class QuotaReached extends Error {}

/** The turn for the functions of the agent, with validated data. @throws TurnDataError */
export async function agentJob(
  { id, key, tenant, prompt, attempt, epoch, before, data: given }: Claim,
  { data: schema }: FleetAgent,
  { call }: AgentCalls,
): Promise<AgentJob> {
  let data = given;
  if (schema !== undefined) {
    const checked = await call('data', () => schema['~standard'].validate(data));
    if (checked.issues) throw new TurnDataError(checked.issues);
    data = checked.value;
  }
  return { id, key, tenant, prompt, data, attempt, epoch, previousEpoch: before.epoch, previousPlace: before.place };
}

/**
 * Calls the agent's functions for options and workspace, then opens its session, or continues with that of the last turn.
 * @throws AgentFunctionError, QuotaReached
 */
export async function openAgent(job: AgentJob, parts: AgentParts, turnOptions: TurnOptions): Promise<WarmSession> {
  const { agent, database, writer, calls, until } = parts;
  const { workspace } = agent;
  const [given, place] = await calls.call('options or workspace.prepare', () =>
    Promise.all([
      calls.guarded('options', () => agent.options(job)),
      workspace && calls.guarded('workspace.prepare', () => workspace.prepare(job)),
    ]),
  );
  if (typeof given !== 'object' || given === null)
    throw new AgentFunctionError('options', 'must return an object with options.');
  const options = parts.cli === undefined || given.transport !== undefined ? given : { cli: parts.cli, ...given };
  if (workspace !== undefined && typeof place?.cwd !== 'string')
    throw new AgentFunctionError('workspace.prepare', 'must return an object with the folder, { cwd }.');
  if (typeof place?.notice === 'string') parts.onNotice(place.notice);
  const maxBudgetUsd = await reservedUsd(options.maxBudgetUsd, parts);
  const budgeted = { ...options, ...(maxBudgetUsd !== undefined && { maxBudgetUsd }) };
  const isolation = isolationOf(parts.isolate, options.isolate, place?.readable);
  const files = { ...(place && { cwd: place.cwd }), ...isolation };
  const run = {
    store: turnStore(database, writer, parts.approvals, until),
    options: { ...optionsOf(budgeted, job, parts), ...files },
    fault: parts.fault,
  };
  const terms = await agentTerms({ ...budgeted, ...files });
  return (await continued(run, terms, parts)) ?? opened(run, terms, parts, turnOptions);
}

/** Continues with the process of the last turn, if it is in the same state as one that would be started now. */
async function continued(
  run: LinkedRun,
  terms: AgentTerms,
  { claim, warm }: AgentParts,
): Promise<WarmSession | undefined> {
  const taken = await warm.take(claim);
  if (taken === undefined) return undefined;
  const fits = sameTerms(taken.terms, terms) && (await answers(taken.session));
  if (!fits) {
    // Its processes exit before those of the turn start.
    await warm.end(taken);
    return undefined;
  }
  await taken.link.attach(run);
  warm.noteReuse();
  return taken;
}

/** Time for a process to show that it still works. */
const ANSWER_MS = 2_000;

async function answers(session: Session): Promise<boolean> {
  return session.ping({ timeoutMs: ANSWER_MS }).then(
    () => true,
    () => false,
  );
}

/** Starts a process, or continues with one that waits for a conversation that begins. */
async function opened(
  run: LinkedRun,
  terms: AgentTerms,
  { claim, database, spares, until, warm }: AgentParts,
  turnOptions: TurnOptions,
): Promise<WarmSession> {
  const { sessionId, key, parked } = claim;
  // A worker that died early may have stored a session id without a transcript.
  const known =
    sessionId !== null && (await retryWhileUnavailable(() => hasTranscript(database, key, sessionId), until));
  const newSession = (): OpenSessionOptions => ({ sessionId: crypto.randomUUID() });
  if (parked || known || isBoundToProcess(terms.options)) {
    const how = parked ? resuming(parked, turnOptions) : known ? { resume: sessionId } : newSession();
    return started(new SessionLink(run), run.options, terms, how);
  }
  const spare = await spares.take(terms);
  if (spare !== undefined) {
    await spare.link.attach(run);
    warm.noteReuse();
  }
  const session = spare ?? started(new SessionLink(run), run.options, terms, newSession());
  const open = (): WarmSession => started(new SessionLink(undefined), run.options, terms, newSession());
  spares.begun({ terms, open }, spare !== undefined, session.session.ready);
  return session;
}

function started(link: SessionLink, options: AgentOptions, terms: AgentTerms, more: OpenSessionOptions): WarmSession {
  const opening: OpenSessionOptions = {
    ...link.options(options),
    sessionStore: link.store,
    // Conversations of all tenants must not be on the disk of one worker.
    storeOnly: true,
    ...more,
  };
  const guard = { name: CALLBACKS, onFault: (error: unknown) => link.fault(error) };
  return { session: guarded(guard, () => openSession(opening)), link, terms };
}

/** The options with which a parked turn is resumed; the mode and the model stay as they were when the request was made. */
function resuming({ parked, answer }: ParkedClaim, { timeoutMs, idleTimeoutMs }: TurnOptions): OpenSessionOptions {
  const { permissionMode, model } = parked;
  return {
    parked: { ...parked, answer },
    timeoutMs,
    ...(idleTimeoutMs !== undefined && { idleTimeoutMs }),
    ...(permissionMode !== undefined && { permissionMode }),
    ...(model !== undefined && { model }),
  };
}

/** Reserves the budget of the turn, and returns it. @throws QuotaReached if the tenant has less left today */
async function reservedUsd(
  given: number | undefined,
  { claim, database, writer, until }: AgentParts,
): Promise<number | undefined> {
  const { id, tenant, maxUsd, earlierCost, reservedUsd: claimed } = claim;
  const budgetUsd = budgetLeft({ budgetUsd: given, maxUsd, earlierUsd: earlierCost?.costUsd ?? null });
  // The SDK refuses an invalid amount.
  if (budgetUsd === undefined || !(budgetUsd > 0)) return budgetUsd;
  if (claimed !== null && claimed <= budgetUsd) return claimed;
  const work = (): Promise<number | undefined> =>
    database.transaction(async (sql) => {
      await passFence(sql, writer.fence);
      return reserve(sql, { id, tenant, budgetUsd, isFlexible: maxUsd !== null });
    });
  const amount = await retryWhileUnavailable(work, until);
  if (amount === undefined) throw new QuotaReached();
  return amount;
}

function optionsOf(given: FleetAgentOptions, job: AgentJob, parts: AgentParts): AgentOptions {
  const { canUseTool, limits, ...options } = given;
  const { approvals, database } = parts;
  const { stopBeforeMs } = parts.limits;
  return {
    ...options,
    ...agentEnvironment(options, database.connectionString),
    // The whole process tree must exit before the lease ends.
    limits: { ...limits, graceMs: Math.round(stopBeforeMs / 3), termMs: Math.round(stopBeforeMs / 3) },
    ...(canUseTool && { canUseTool: approvals.withApprovals(canUseTool, (request) => termsOf(request, job, parts)) }),
  };
}

/** Calls `approvals()` of the agent. If it fails, the request is denied, as if `canUseTool` had failed. @throws AgentFunctionError */
async function termsOf(
  request: PermissionRequest,
  job: AgentJob,
  { agent, calls, onError }: AgentParts,
): Promise<Stages> {
  try {
    const stages = stagesOf(await calls.call('approvals', () => agent.approvals?.(request, job)));
    if (typeof stages === 'string') throw new AgentFunctionError('approvals', `${stages}.`);
    return stages;
  } catch (error) {
    onError(error);
    throw error;
  }
}

async function hasTranscript(database: Database, key: string, sessionId: string): Promise<boolean> {
  const found = await database.query(
    `select 1 from @.entry where key = $1 and session_id = $2 and subpath = '' limit 1`,
    [key, sessionId],
  );
  return found.length > 0;
}
