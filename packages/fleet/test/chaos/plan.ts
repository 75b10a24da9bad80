import { randomInt } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import type { Harms } from './harms.ts';

/** Size and faults of a run. */
export interface ChaosPlan {
  readonly turns: number;
  readonly conversations: number;
  readonly workers: number;
  readonly slots: number;
  /** Chooses the faults; their timing depends on the machine. */
  readonly seed: number;
  /** Time between faults, and their maximum number. */
  readonly everyMs: number;
  readonly maxFaults: number;
  readonly leaseMs: number;
  /** Length of an outage of PostgreSQL. */
  readonly outageMs: number;
  /** Number of workers whose scripted CLIs are processes. */
  readonly processWorkers: number;
  /** Minimum duration of a turn. */
  readonly workMs: number;
  /** Maximum duration of `options()` and of `workspace.prepare()`. */
  readonly prepareMs?: number;
  /** The share of turns that ask for their tools; 0 by default. */
  readonly asks?: number;
  /** Whether two thirds of the conversations may run several turns on one process; true by default. */
  readonly warm?: boolean;
  /** The kinds of faults; all by default. `crashes`: only PostgreSQL crashes, and every turn that an agent finishes must be completed. */
  readonly harms?: Harms;
  /** The folder of PostgreSQL's `bin`; that of the embedded one by default. */
  readonly binaries?: string;
  readonly report?: (line: string) => void;
  /** Ends the run early, with everything that it started. */
  readonly signal?: AbortSignal;
}

/** The counts; `problems` has everything that must not happen. */
export interface ChaosReport {
  readonly seed: number;
  readonly seconds: number;
  readonly turns: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<string, number>>;
  /** The end states of approvals, and how often turns were parked, if some ask. */
  readonly approvals: Readonly<Record<string, number>>;
  /** Turns that ran on the process of an earlier turn. */
  readonly reused: number;
  readonly turnsPerSecond: number;
  /** The longest time from the last claim of a turn to its end, including takeovers and outages. */
  readonly slowestSeconds: number;
  readonly problems: readonly string[];
}

/** A random seed. */
export function newSeed(): number {
  return randomInt(1, 2 ** 31);
}

/** Appends a line to the file with the results of long runs. */
export function keepReport(file: string, report: ChaosReport): void {
  appendFileSync(file, `${JSON.stringify({ ...report, at: new Date().toISOString() })}\n`);
}
