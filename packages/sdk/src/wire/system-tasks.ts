import type { Open } from './kinds.ts';
import type { SystemBase } from './system.ts';

/** The system messages about subagents and background commands. */
export type KnownSystemTask =
  | SystemTaskStarted
  | SystemTaskProgress
  | SystemTaskUpdated
  | SystemTaskNotification
  | SystemTaskSummary
  | SystemBackgroundTasksChanged;

/** A subagent or a background command was started. */
export interface SystemTaskStarted extends SystemBase {
  readonly subtype: 'task_started';
  readonly task_id: string;
  readonly description: string;
  readonly task_type?: TaskType;
  readonly run_id?: string;
  readonly tool_use_id?: string;
  readonly is_backgrounded?: boolean;
  readonly subagent_type?: string;
  readonly spawn_depth?: number;
  readonly prompt?: string;
  readonly workflow_name?: string;
}

/** A task is doing something. */
export interface SystemTaskProgress extends SystemBase {
  readonly subtype: 'task_progress';
  readonly task_id: string;
  readonly description: string;
  readonly usage: TaskUsage;
  readonly run_id?: string;
  readonly tool_use_id?: string;
  readonly subagent_type?: string;
  readonly last_tool_name?: string;
  readonly summary?: string;
}

/** Some fields of a task changed. */
export interface SystemTaskUpdated extends SystemBase {
  readonly subtype: 'task_updated';
  readonly task_id: string;
  readonly run_id?: string;
  readonly patch: {
    readonly status?: Open<'pending' | 'running' | 'completed' | 'failed' | 'killed' | 'stopped'>;
    readonly description?: string;
    /** Milliseconds since 1970. */
    readonly end_time?: number;
    readonly error?: string;
    readonly is_backgrounded?: boolean;
    readonly [field: string]: unknown;
  };
}

/** A task came to its end; the CLI may now run a turn of its own to tell the model. */
export interface SystemTaskNotification extends SystemBase {
  readonly subtype: 'task_notification';
  readonly task_id: string;
  readonly status: Open<'completed' | 'failed' | 'stopped'>;
  readonly output_file: string;
  readonly summary: string;
  readonly run_id?: string;
  readonly tool_use_id?: string;
  readonly usage?: TaskUsage;
}

/** A line about what a task is doing. */
export interface SystemTaskSummary extends SystemBase {
  readonly subtype: 'task_summary';
  readonly task_id?: string;
  readonly summary?: string;
}

/** All background tasks that run now; replaces the list before. */
export interface SystemBackgroundTasksChanged extends SystemBase {
  readonly subtype: 'background_tasks_changed';
  readonly tasks: readonly BackgroundTask[];
}

/** A background task that runs. */
export interface BackgroundTask {
  readonly task_id: string;
  readonly task_type: TaskType;
  readonly description: string;
  readonly run_id?: string;
}

/** What kind of task it is. */
export type TaskType = Open<'local_bash' | 'local_agent'>;

/** What a task has used so far. */
export interface TaskUsage {
  readonly total_tokens: number;
  readonly tool_uses: number;
  readonly duration_ms: number;
}
