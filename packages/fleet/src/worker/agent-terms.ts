import { stat } from 'node:fs/promises';
import type { FleetAgentOptions } from '../agent/define-agent.ts';
import { sameOptions } from './same-options.ts';

/** What a process of an agent is started with. */
export interface AgentTerms {
  readonly options: FleetAgentOptions;
  /** The environment of the worker, from which the process inherits. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Device and inode of the working directory, which may have been removed and created again; undefined if there is none. */
  readonly folder: string | undefined;
}

/** The terms of a process that is started now. */
export async function agentTerms(options: FleetAgentOptions): Promise<AgentTerms> {
  return { options, environment: { ...process.env }, folder: await folderOf(options.cwd ?? process.cwd()) };
}

/** Whether a process with the terms `a` may run a turn with the terms `b`. */
export function sameTerms(a: AgentTerms, b: AgentTerms): boolean {
  const names = Object.keys(a.environment);
  return (
    a.folder === b.folder &&
    names.length === Object.keys(b.environment).length &&
    names.every((name) => a.environment[name] === b.environment[name]) &&
    sameOptions(a.options, b.options)
  );
}

/** True if the options have an effect that is bound to one process, so that each turn needs its own. */
export function isBoundToProcess(options: FleetAgentOptions): boolean {
  const { maxBudgetUsd, taskBudget, allowPermissionUpdates, extraArgs, hooks } = options;
  const isLimited = maxBudgetUsd !== undefined || taskBudget !== undefined;
  const events = Object.keys(hooks ?? {});
  return (
    isLimited ||
    allowPermissionUpdates === true ||
    Object.keys(extraArgs ?? {}).some((name) => name.includes('budget')) ||
    events.some((event) => PROCESS_EVENTS.has(event))
  );
}

/** Hooks for the start and the end of a process. */
const PROCESS_EVENTS: ReadonlySet<string> = new Set(['Setup', 'SessionStart', 'SessionEnd']);

async function folderOf(path: string): Promise<string | undefined> {
  try {
    const { dev, ino } = await stat(path);
    return `${dev}:${ino}`;
  } catch {
    // The session reports it.
    return undefined;
  }
}
