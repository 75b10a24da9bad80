import type { Effort } from '../options/effort.ts';
import type { PermissionMode } from '../wire/permission-mode.ts';

/** The options that an observer receives. None of them contains a secret. */
export interface ObservedOptions {
  readonly model?: string | undefined;
  readonly fallbackModel?: string | undefined;
  readonly maxTurns?: number | undefined;
  readonly maxBudgetUsd?: number | undefined;
  readonly taskBudget?: number | undefined;
  readonly effort?: Effort | undefined;
  readonly permissionMode?: PermissionMode | undefined;
  readonly allowPermissionUpdates?: boolean | undefined;
  readonly cwd?: string | undefined;
  readonly addDirs?: readonly string[] | undefined;
  readonly configDir?: string | undefined;
  readonly agent?: string | undefined;
  readonly title?: string | undefined;
  readonly persistSession?: boolean | undefined;
  readonly resume?: string | undefined;
  readonly resumeAt?: string | undefined;
  readonly continue?: boolean | undefined;
  readonly forkSession?: boolean | undefined;
  readonly sessionId?: string | undefined;
  readonly includePartialMessages?: boolean | undefined;
  readonly timeoutMs?: number | undefined;
  readonly idleTimeoutMs?: number | undefined;
}

/** Their names. The compiler checks that none is missing. */
export const observedOptionNames: readonly (keyof ObservedOptions)[] = Object.keys({
  model: true,
  fallbackModel: true,
  maxTurns: true,
  maxBudgetUsd: true,
  taskBudget: true,
  effort: true,
  permissionMode: true,
  allowPermissionUpdates: true,
  cwd: true,
  addDirs: true,
  configDir: true,
  agent: true,
  title: true,
  persistSession: true,
  resume: true,
  resumeAt: true,
  continue: true,
  forkSession: true,
  sessionId: true,
  includePartialMessages: true,
  timeoutMs: true,
  idleTimeoutMs: true,
} satisfies Record<keyof ObservedOptions, true>) as (keyof ObservedOptions)[]; // The object has no other keys.
