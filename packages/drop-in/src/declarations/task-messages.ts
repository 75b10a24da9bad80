import type { Envelope } from './envelope.ts';
import type { SDKMcpResourceLink } from './reports.ts';

type Task<Subtype extends string> = Envelope<'system'> & { subtype: Subtype; task_id: string; run_id?: string };
type TaskUsage = { total_tokens: number; tool_uses: number; duration_ms: number };

/** A subagent or a background command was started. */
export type SDKTaskStartedMessage = Task<'task_started'> & {
  parent_task_id?: string;
  tool_use_id?: string;
  description: string;
  subagent_type?: string;
  is_backgrounded?: boolean;
  spawn_depth?: number;
  task_type?: string;
  workflow_name?: string;
  prompt?: string;
  skip_transcript?: boolean;
  ambient?: boolean;
};

export type SDKTaskProgressMessage = Task<'task_progress'> & {
  tool_use_id?: string;
  description: string;
  subagent_type?: string;
  usage: TaskUsage;
  last_tool_name?: string;
  summary?: string;
};

export type SDKTaskUpdatedMessage = Task<'task_updated'> & {
  patch: {
    status?: 'pending' | 'running' | 'completed' | 'failed' | 'killed' | 'paused';
    description?: string;
    /** Milliseconds since 1970. */
    end_time?: number;
    total_paused_ms?: number;
    error?: string;
    is_backgrounded?: boolean;
  };
};

/** A task ended. The CLI may now start a turn to inform the model. */
export type SDKTaskNotificationMessage = Task<'task_notification'> & {
  tool_use_id?: string;
  status: 'completed' | 'failed' | 'stopped';
  reason?: 'worker_restart';
  output_file: string;
  resource_links?: SDKMcpResourceLink[];
  summary: string;
  usage?: TaskUsage;
  skip_transcript?: boolean;
  ambient?: boolean;
};

/** All running background tasks; replaces the previous list. */
export type SDKBackgroundTasksChangedMessage = Envelope<'system'> & {
  subtype: 'background_tasks_changed';
  tasks: {
    task_id: string;
    task_type: string;
    subagent_type?: string;
    description: string;
    parent_task_id?: string;
    run_id?: string;
    ambient?: boolean;
  }[];
};
