import { hostname } from 'node:os';
import type { FleetAgent } from '../agent/define-agent.ts';
import { logEvent } from '../database/log.ts';
import { DatabaseUnavailableError, FleetClosedError, FleetInputError } from '../errors.ts';
import { CONNECT_OPTIONS, type ConnectOptions, connect } from '../fleet/connect.ts';
import { checkedFilter, checkedOptions } from '../fleet/input.ts';
import { uuid7 } from '../turn/uuid7.ts';
import { heartbeat } from './keeper.ts';
import type { OnStep } from './steps.ts';
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
  const connection = await connect(options, 'worker');
  const { database, queue, hub, limits, tracing } = connection;
  const name = options.name ?? `${hostname()}:${process.pid}`;
  const row = { id: uuid7(), name, host: hostname(), pid: process.pid, slots };
  try {
    await heartbeat(database, row, 0, false);
    await logEvent(database, 'worker-started', { worker: row.id, detail: { name, slots } });
  } catch (error) {
    await connection.close();
    throw error;
  }
  // The type of `data` is only known to the agent itself, which validates it.
  const agent = options.agent as FleetAgent;
  const context = { worker: row.id, credential, database, queue, limits, tracing, agent, onStep, onError };
  return new Worker(row, context, hub, () => connection.close());
}

/** @throws FleetInputError */
function checked<Data>(options: WorkerOptions<Data>): WorkerOptions<Data> {
  const { agent, slots = 1, name, credential } = checkedOptions(options, WORKER_OPTIONS);
  if (typeof agent?.options !== 'function') throw new FleetInputError('agent', 'must be what defineAgent() returns.');
  if (!Number.isInteger(slots) || slots < 1) throw new FleetInputError('slots', 'must be a whole number from 1 on.');
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

/** How often a database that is away is reported. */
const REPEAT_MS = 30_000;

/** Everything in a worker fails while the database is away, several times a second; one report is enough. */
function withoutRepeats(onError: (error: unknown) => void): (error: unknown) => void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    // The worker has stopped meanwhile.
    if (error instanceof FleetClosedError) return;
    if (error instanceof DatabaseUnavailableError) {
      if (performance.now() < reportedAt + REPEAT_MS) return;
      reportedAt = performance.now();
    }
    onError(error);
  };
}
