import { hostname } from 'node:os';
import type { AgentOptions } from 'coxswain';
import { inspectCli } from 'coxswain/cli';
import { DEFAULT_AGENT } from '../agent/agent-name.ts';
import { checkAgent, checkAgents } from '../agent/check-agent.ts';
import type { FleetAgent } from '../agent/define-agent.ts';
import type { ApprovalNotice } from '../approval/notice.ts';
import { isRefusal } from '../database/failure.ts';
import { logEvent } from '../database/log.ts';
import { databaseRedactor } from '../database/redact-database.ts';
import { retryWhileUnavailable } from '../database/retry.ts';
import { FleetInputError } from '../errors.ts';
import { CONNECT_OPTIONS, type ConnectOptions, connect } from '../fleet/connect.ts';
import { checkedFilter, checkedName, checkedOptions, checkedTimer, checkedWhole, MAX_INTEGER } from '../fleet/input.ts';
import type { NoticeTarget } from '../queue/queue.ts';
import { MAX_PREFER_MS } from '../queue/wake.ts';
import { uuid7 } from '../turn/uuid7.ts';
import { type ApprovalWebhook, type SendNotice, webhookSender } from '../webhook/send.ts';
import { type Isolate, requireIsolation } from './isolation.ts';
import { heartbeat } from './leases.ts';
import { functionSender, Notifier } from './notifier.ts';
import { guardProcess } from './process-guard.ts';
import { ServedAgents } from './served-agents.ts';
import { SpareSessions } from './spare-sessions.ts';
import type { OnStep } from './steps.ts';
import { WarmSessions } from './warm-sessions.ts';
import { withoutRepeats } from './without-repeats.ts';
import { Worker } from './worker.ts';

/** Options of a worker. */
export interface WorkerOptions<Data = unknown, Agents = Readonly<Record<string, unknown>>> extends ConnectOptions {
  /** The agent to run; see `defineAgent`. It has the name `default`. */
  readonly agent?: FleetAgent<Data> | undefined;
  /** Agents by name, instead of `agent` or in addition to it. The worker runs only turns of its agents; `submit({ agent })` names one. */
  readonly agents?: { readonly [Name in keyof Agents]: FleetAgent<Agents[Name]> } | undefined;
  /** The CLI of turns whose options select none, as in `AgentOptions`. The worker announces its release. */
  readonly cli?: AgentOptions['cli'];
  /**
   * Runs the CLI of each conversation in isolation, as the option of a session does. The agent's own `isolate` adds files, but changes
   * nothing else. The worker does not start if that is not possible.
   */
  readonly isolate?: Isolate | undefined;
  /** Number of turns that run at the same time. A CLI takes about 170 MB. 4 by default. */
  readonly slots?: number | undefined;
  /**
   * Time for which the agent's process is kept after a completed turn, so that the next turn of the conversation starts at once. 0 by
   * default: it ends with the turn. A turn with other options, or of a conversation that moved on, starts a new process.
   */
  readonly keepWarmMs?: number | undefined;
  /** Number of processes that are kept, in addition to those of running turns; the least recently used ends first. `slots` by default. */
  readonly maxWarm?: number | undefined;
  /**
   * Number of processes that are started before a conversation needs them, with the options of the last one that began. One that begins
   * with the same options runs on such a process. 0 by default.
   */
  readonly prewarm?: number | undefined;
  /** Time for which other workers leave a turn to the one that has a process of its conversation. 200 by default. */
  readonly preferMs?: number | undefined;
  /** The name of the worker in lists; the host name and the pid by default. */
  readonly name?: string | undefined;
  /** The account whose rate limit its turns share; workers with the same one pause together. `default` by default. */
  readonly credential?: string | undefined;
  /** A webhook for approvals: signed, and sent at least once through the queue, by any worker that has it. All workers should have the same. */
  readonly notify?: ApprovalWebhook | undefined;
  /**
   * Called when an approval is requested, escalated, answered, expired or void, at least once for each by one of the workers that have
   * it. If it fails, it is called again later, with the same `id`.
   */
  readonly onApproval?: ((notice: ApprovalNotice, id: string) => void | Promise<void>) | undefined;
  /** Called at each step of each turn; the turn waits for it. If it fails, `onError` reports it, and the turn continues. */
  readonly onStep?: OnStep | undefined;
  /** Called with failures that no outcome reports: an unreachable database (at most every 30 s), a lost lease. If it fails, a process warning is emitted once. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * Starts a worker, which claims turns immediately. @throws FleetInputError, IsolationUnavailableError, DatabaseUnavailableError,
 * SchemaTooNewError, EmbeddedPostgresMissingError
 */
export async function startWorker<Data = unknown, Agents = Readonly<Record<string, unknown>>>(
  options: WorkerOptions<Data, Agents>,
): Promise<Worker> {
  const { slots = 4, credential = 'default', keepWarmMs = 0, preferMs = 200 } = checked(options);
  const { isolate } = options;
  if (isolate !== undefined) await requireIsolation(isolate);
  const onError = withoutRepeats(options.onError ?? (() => {}));
  const onStep: OnStep = async (step, turn) => {
    try {
      await options.onStep?.(step, turn);
    } catch (error) {
      onError(error);
    }
  };
  const deadline = performance.now() + (options.connectTimeoutMs ?? 0);
  const senders = sendersOf(options);
  const targets = (['webhook', 'function'] as const).filter((target) => senders[target] !== undefined);
  const agents = await servedAgents(options);
  const connection = await connect(options, 'worker', targets);
  const { database, queue, hub, limits, tracing } = connection;
  const name = options.name ?? `${hostname()}:${process.pid}`;
  const row = { id: uuid7(), name, host: hostname(), pid: process.pid, slots, preferMs };
  const detail = { name, slots };
  try {
    // The database may become unreachable again at once.
    for (const step of [
      () => heartbeat(database, row, { running: 0, warm: 0, draining: false, agents }),
      () => logEvent(database, 'worker-started', { worker: row.id, detail }),
    ])
      await retryWhileUnavailable(
        step,
        () => deadline,
        ({ reason }) => !isRefusal(reason),
      );
  } catch (error) {
    await connection.close();
    throw error;
  }
  const redact = databaseRedactor(database.connectionString);
  // The memory that the operating system, or the container, still has.
  const freeBytes = (): number => process.availableMemory();
  const spares = new SpareSessions({ prewarm: options.prewarm ?? 0, freeBytes });
  const warm = new WarmSessions({
    keepWarmMs,
    maxWarm: options.maxWarm ?? slots,
    preferMs,
    freeBytes,
    // Best effort: without it, other workers leave the next turn to this one for a moment.
    onGone: (key, token) => void database.query(FORGET_WARM, [key, token]).catch(() => {}),
  });
  const context = {
    worker: row.id,
    credential,
    cli: options.cli,
    database,
    queue,
    limits,
    tracing,
    agents,
    isolate,
    warm,
    spares,
    onStep,
    redact,
    onError,
  };
  const notifier = new Notifier({ database, queue, hub, pollMs: limits.pollMs, onError, senders });
  const worker = new Worker(row, context, hub, async () => {
    await notifier.close();
    await connection.close();
  });
  void worker.stopped.then(guardProcess(() => worker.crash()));
  return worker;
}

/** The agents of a worker, whose types of `data` are checked by the agents themselves. */
interface GivenAgents {
  readonly agent?: unknown;
  readonly agents?: object | undefined;
}

/** @throws what `workspace.place()` of an agent throws */
async function servedAgents({ agent, agents, cli }: GivenAgents & Pick<WorkerOptions, 'cli'>): Promise<ServedAgents> {
  // checked() has refused everything else.
  const all = { ...(agent !== undefined && { [DEFAULT_AGENT]: agent }), ...agents } as Record<string, FleetAgent>;
  const places = new Map<FleetAgent, string>();
  for (const one of Object.values(all)) {
    const place = await one.workspace?.place?.();
    if (place !== undefined) places.set(one, checkedName('workspace.place', place));
  }
  const { version } = await inspectCli({ cli, timeoutMs: CLI_MS });
  return new ServedAgents(all, { cli: version?.kind === 'found' ? version.version : null, places });
}

/** Time for the CLI to report its version. */
const CLI_MS = 10_000;

const FORGET_WARM =
  'update @.conversation set warm_claim = null, warm_worker = null, warm_until = null where key = $1 and warm_claim = $2';

/** @throws FleetInputError */
function sendersOf({
  notify,
  onApproval,
}: Pick<WorkerOptions, 'notify' | 'onApproval'>): Partial<Record<NoticeTarget, SendNotice>> {
  if (onApproval !== undefined && typeof onApproval !== 'function')
    throw new FleetInputError('onApproval', 'must be a function.');
  return {
    ...(notify && { webhook: webhookSender(notify) }),
    ...(onApproval && { function: functionSender(onApproval) }),
  };
}

/** @throws FleetInputError */
function checked(
  options: Omit<WorkerOptions, 'agent' | 'agents'> & GivenAgents,
): Omit<WorkerOptions, 'agent' | 'agents'> {
  const {
    agent,
    agents,
    cli,
    slots = 1,
    name,
    credential,
    keepWarmMs,
    maxWarm,
    prewarm,
    preferMs,
  } = checkedOptions(options, WORKER_OPTIONS);
  if (agent !== undefined || agents === undefined) checkAgent(agent);
  if (agents !== undefined) checkAgents(agents);
  if (agent !== undefined && agents !== undefined && Object.hasOwn(agents, DEFAULT_AGENT))
    throw new FleetInputError('agents', `must not have an agent "${DEFAULT_AGENT}" if the option agent is set.`);
  checkedFilter('cli', cli);
  checkedWhole('slots', slots, 1, MAX_INTEGER);
  if (keepWarmMs !== undefined) checkedTimer('keepWarmMs', keepWarmMs);
  if (maxWarm !== undefined) checkedWhole('maxWarm', maxWarm, 0, MAX_INTEGER);
  if (prewarm !== undefined) checkedWhole('prewarm', prewarm, 0, MAX_INTEGER);
  if (preferMs !== undefined) checkedWhole('preferMs', preferMs, 0, MAX_PREFER_MS);
  checkedFilter('name', name);
  checkedFilter('credential', credential);
  return options;
}

const WORKER_OPTIONS: Readonly<Record<keyof WorkerOptions, true>> = {
  agent: true,
  isolate: true,
  agents: true,
  cli: true,
  slots: true,
  keepWarmMs: true,
  maxWarm: true,
  prewarm: true,
  preferMs: true,
  name: true,
  credential: true,
  notify: true,
  onApproval: true,
  onStep: true,
  onError: true,
  ...CONNECT_OPTIONS,
};
