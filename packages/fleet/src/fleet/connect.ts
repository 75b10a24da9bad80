import { Database } from '../database/database.ts';
import { isRefusal } from '../database/failure.ts';
import { Hub } from '../database/hub.ts';
import { checkVersion, isSchemaName, migrate } from '../database/migrate.ts';
import { retryWhileUnavailable } from '../database/retry.ts';
import { FleetInputError, NoFleetError } from '../errors.ts';
import { type FleetLimits, fleetLimits } from '../limits.ts';
import { type EmbeddedOptions, hasEmbedded, startEmbedded } from '../postgres/embedded.ts';
import { openQueue } from '../queue/pg-boss.ts';
import type { NoticeTarget, Queue } from '../queue/queue.ts';
import { type FleetTracing, isolated, noTracing } from '../turn/tracing.ts';
import { checkedWait } from './input.ts';

/** Options of the connection to a fleet. */
export interface ConnectOptions {
  /** The URL of a PostgreSQL database; `COXSWAIN_DATABASE_URL` by default. Without one the embedded PostgreSQL starts. */
  readonly database?: string | undefined;
  /** Options of the embedded PostgreSQL. */
  readonly embedded?: EmbeddedOptions | undefined;
  /** The schema of the tables; `coxswain` by default. Fleets with different schemas are independent. */
  readonly schema?: string | undefined;
  /** Whether missing tables are created and old ones upgraded; true by default. With false, a database without a fleet is an error. */
  readonly create?: boolean | undefined;
  readonly limits?: Partial<FleetLimits> | undefined;
  /** Traces the turns that this process submits or runs, such as `fleetTelemetry()` of @coxswain/opentelemetry. */
  readonly tracing?: FleetTracing | undefined;
  /** Time to retry the first connection; 0 by default: an unreachable database is an error immediately. */
  readonly connectTimeoutMs?: number | undefined;
}

/** The names of the options. */
export const CONNECT_OPTIONS: Readonly<Record<keyof ConnectOptions, true>> = {
  database: true,
  embedded: true,
  schema: true,
  create: true,
  limits: true,
  tracing: true,
  connectTimeoutMs: true,
};

/** An open connection to a fleet. */
export interface Connection {
  readonly database: Database;
  readonly queue: Queue;
  readonly hub: Hub;
  readonly limits: FleetLimits;
  readonly tracing: FleetTracing;
  /** The URL for other processes; undefined unless the embedded PostgreSQL runs. */
  readonly embeddedUrl: string | undefined;
  close(): Promise<void>;
}

/**
 * Connects, and creates or upgrades the tables unless `create` is false. `targets` receive notices about the approvals of this process.
 * @throws FleetInputError, DatabaseUnavailableError, SchemaTooNewError, SchemaTooOldError, NoFleetError, EmbeddedPostgresMissingError
 */
export async function connect(
  options: ConnectOptions,
  role: 'client' | 'worker',
  targets: readonly NoticeTarget[] = [],
): Promise<Connection> {
  const { schema = 'coxswain', create = true, connectTimeoutMs = 0 } = options;
  const tracing = options.tracing === undefined ? noTracing : isolated(options.tracing);
  if (!isSchemaName(schema))
    throw new FleetInputError(
      'schema',
      'must be a name of lower-case letters, digits and underscores, at most 41 characters long, and not a schema of PostgreSQL itself.',
    );
  const limits = fleetLimits(options.limits);
  checkedWait('connectTimeoutMs', connectTimeoutMs);
  const given = options.database ?? (process.env.COXSWAIN_DATABASE_URL || undefined);
  if (given !== undefined && !isDatabaseUrl(given))
    throw new FleetInputError('database', 'must be a URL such as postgres://user@host:5432/name.');
  if (given === undefined && !create) await findEmbedded(options.embedded);
  const embedded = given === undefined ? await startEmbedded(options.embedded) : undefined;
  const { connections, leaseMs } = limits;
  const database = new Database({ url: given ?? embedded?.url ?? '', schema, connections, leaseMs });
  const hub = new Hub(database);
  const deadline = performance.now() + connectTimeoutMs;
  try {
    const queue = await retryWhileUnavailable(
      async () => {
        if (create) await migrate(database);
        else await checkVersion(database);
        return openQueue(database, role, create, targets);
      },
      () => deadline,
      ({ reason }) => !isRefusal(reason),
    );
    await hub.open();
    const close = async (): Promise<void> => {
      await hub.close();
      await queue.close().catch(() => {});
      await database.close();
      await embedded?.close();
    };
    return { database, queue, hub, limits, tracing, embeddedUrl: embedded?.url, close };
  } catch (error) {
    await hub.close();
    await database.close();
    await embedded?.close();
    throw error;
  }
}

/** @throws NoFleetError */
async function findEmbedded(options: EmbeddedOptions | undefined): Promise<void> {
  const { directory, found } = await hasEmbedded(options);
  if (!found) throw new NoFleetError('folder', directory);
}

/** True for what `pg` accepts: a URL, also with the folder of a socket instead of a host, or only such a folder. */
function isDatabaseUrl(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  const isUrl = /^(?:postgres(?:ql)?|socket):/.test(text) && URL.canParse(text.replace('@/', '@host/'));
  return isUrl || text.startsWith('/');
}
