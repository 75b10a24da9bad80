import { hostname } from 'node:os';
import type { FleetAgent } from '../agent/define-agent.ts';
import { isRefusal } from '../database/failure.ts';
import { logEvent } from '../database/log.ts';
import { databaseRedactor } from '../database/redact-database.ts';
import { whileUnavailable } from '../database/retry.ts';
import { FleetInputError } from '../errors.ts';
import { CONNECT_OPTIONS, type ConnectOptions, connect } from '../fleet/connect.ts';
import { checkedFilter, checkedOptions, checkedWhole, MOST_INTEGER } from '../fleet/input.ts';
import { uuid7 } from '../turn/uuid7.ts';
import { guardProcess } from './guard.ts';
import { heartbeat } from './keeper.ts';
import type { OnStep } from './steps.ts';
import { withoutRepeats } from './without-repeats.ts';
import { Worker } from './worker.ts';

/** How a worker runs. */
export interface WorkerOptions<Data = unknown> extends ConnectOptions {
  /** What it runs; see `defineAgent`. */
  readonly agent: FleetAgent<Data>;
  /** How many turns run at the same time. A CLI takes about 170 MB. 4 by default. */
  readonly slots?: number | undefined;
  /** How it appears in lists; the host's name and the pid by default. */
  readonly name?: string | undefined;
  /** The account whose rate limit its turns share; workers with the same one pause together. `default` by default. */
  readonly credential?: string | undefined;
  /** Called at each named point of each turn; the turn waits for it. */
  readonly onStep?: OnStep | undefined;
  /** Called with failures that no outcome reports: a database that cannot be reached (every 30 s), a lost lease. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * Starts a worker, which takes turns immediately. @throws FleetInputError, DatabaseUnavailableError, SchemaTooNewError,
 * EmbeddedPostgresMissingError
 */
export async function startWorker<Data = unknown>(options: WorkerOptions<Data>): Promise<Worker> {
  const { slots = 4, credential = 'default', onStep = () => {} } = checked(options);
  const onError = withoutRepeats(options.onError ?? (() => {}));
  const deadline = performance.now() + (options.connectTimeoutMs ?? 0);
  const connection = await connect(options, 'worker');
  const { database, queue, hub, limits, tracing } = connection;
  const name = options.name ?? `${hostname()}:${process.pid}`;
  const row = { id: uuid7(), name, host: hostname(), pid: process.pid, slots };
  const detail = { name, slots };
  try {
    // The database may go away again at once.
    for (const step of [
      () => heartbeat(database, row, 0, false),
      () => logEvent(database, 'worker-started', { worker: row.id, detail }),
    ])
      await whileUnavailable(
        step,
        () => deadline,
        ({ reason }) => !isRefusal(reason),
      );
  } catch (error) {
    await connection.close();
    throw error;
  }
  // The type of `data` is only known to the agent itself, which validates it.
  const agent = options.agent as FleetAgent;
  const redact = databaseRedactor(database.connectionString);
  const context = { worker: row.id, credential, database, queue, limits, tracing, agent, onStep, redact, onError };
  const worker = new Worker(row, context, hub, () => connection.close());
  void worker.stopped.then(guardProcess(() => worker.crash()));
  return worker;
}

/** @throws FleetInputError */
function checked<Data>(options: WorkerOptions<Data>): WorkerOptions<Data> {
  const { agent, slots = 1, name, credential } = checkedOptions(options, WORKER_OPTIONS);
  if (typeof agent?.options !== 'function') throw new FleetInputError('agent', 'must be what defineAgent() returns.');
  checkedWhole('slots', slots, 1, MOST_INTEGER);
  checkedFilter('name', name);
  checkedFilter('credential', credential);
  return options;
}

const WORKER_OPTIONS: Readonly<Record<keyof WorkerOptions, true>> = {
  agent: true,
  slots: true,
  name: true,
  credential: true,
  onStep: true,
  onError: true,
  ...CONNECT_OPTIONS,
};
