import type { AgentOptions } from 'coxswain';
import type { FleetAgent } from '../agent/define-agent.ts';
import type { Database } from '../database/database.ts';
import type { FleetLimits } from '../limits.ts';
import type { Queue } from '../queue/queue.ts';
import type { FleetTracing } from '../turn/tracing.ts';
import type { Isolate } from './isolation.ts';
import type { ServedAgents } from './served-agents.ts';
import type { SpareSessions } from './spare-sessions.ts';
import type { OnStep } from './steps.ts';
import type { WarmSessions } from './warm-sessions.ts';

/** What all runs of one agent on a worker share. */
export interface RunContext extends WorkerContext {
  readonly agent: FleetAgent;
}

/** What all runs of a worker share. */
export interface WorkerContext {
  readonly worker: string;
  readonly credential: string;
  /** The CLI of turns whose options select none. */
  readonly cli: AgentOptions['cli'];
  readonly database: Database;
  readonly queue: Queue;
  readonly limits: FleetLimits;
  readonly tracing: FleetTracing;
  /** The isolation of its CLIs. */
  readonly isolate: Isolate | undefined;
  /** What the worker runs. */
  readonly agents: ServedAgents;
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
