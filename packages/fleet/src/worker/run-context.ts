import type { FleetAgent } from '../agent/define-agent.ts';
import type { Database } from '../database/database.ts';
import type { FleetLimits } from '../limits.ts';
import type { Queue } from '../queue/queue.ts';
import type { FleetTracing } from '../turn/tracing.ts';
import type { Isolate } from './isolation.ts';
import type { SpareSessions } from './spare-sessions.ts';
import type { OnStep } from './steps.ts';
import type { WarmSessions } from './warm-sessions.ts';

/** What all runs of a worker share. */
export interface RunContext {
  readonly worker: string;
  readonly credential: string;
  readonly database: Database;
  readonly queue: Queue;
  readonly limits: FleetLimits;
  readonly tracing: FleetTracing;
  readonly agent: FleetAgent;
  /** The isolation of its CLIs. */
  readonly isolate: Isolate | undefined;
  /** The agents' processes that wait for the next turns of their conversations. */
  readonly warm: WarmSessions;
  /** Those that wait for conversations that begin. */
  readonly spares: SpareSessions;
  readonly onStep: OnStep;
  /** Removes the credentials of the database from errors of the agent. */
  readonly redact: <T>(value: T) => T;
  /** Receives failures that no outcome reports. */
  readonly onError: (error: unknown) => void;
}
