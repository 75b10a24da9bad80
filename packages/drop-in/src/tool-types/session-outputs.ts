// The results of built-in tools that act on the session and on services beside it.

type Any = { [field: string]: unknown };

export interface SendFeedbackOutput {
  success: boolean;
  message: string;
}

export interface WorkflowOutput {
  status: 'async_launched' | 'remote_launched';
  taskId: string;
  taskType?: 'local_workflow' | 'remote_agent';
  workflowName?: string;
  runId?: string;
  summary?: string;
  transcriptDir?: string;
  scriptPath?: string;
  sessionUrl?: string;
  warning?: string;
  error?: string;
}

export interface CronCreateOutput {
  id: string;
  humanSchedule: string;
  recurring: boolean;
  durable?: boolean;
  nextFireAt?: number;
}
export interface CronDeleteOutput {
  id: string;
  endedLoopWakeup?: true;
}
export interface CronListOutput {
  jobs: {
    id: string;
    cron: string;
    humanSchedule: string;
    prompt: string;
    recurring?: boolean;
    durable?: boolean;
    nextFireAt?: number;
  }[];
}

export interface ScheduleWakeupOutput {
  scheduledFor: number;
  clampedDelaySeconds: number;
  wasClamped: boolean;
  stopped?: boolean;
  cancelledWakeups?: number;
}

export interface RemoteTriggerOutput {
  status: number;
  json: string;
  summary?: string;
}
export interface MonitorOutput {
  taskId: string;
  timeoutMs: number;
  persistent?: boolean;
  keptInSandboxByCheck?: boolean;
}

export interface PushNotificationOutput {
  message: string;
  pushSent?: boolean;
  localSent?: boolean;
  disabledReason?: 'config_off' | 'user_present' | 'no_transport';
  sentAt?: string;
}
export interface ReadNotificationsOutput {
  notifications: {
    notification_id: string;
    origin: string;
    queued_at: string;
    content: string;
    arrived_at?: string;
  }[];
  remaining: number;
  read_at?: string;
}

export interface ShowOnboardingRolePickerOutput {
  role?: string;
  dismissed?: boolean;
}
export interface OfferChromeSetupOutput {
  outcome: 'connected' | 'not_now' | 'no_attempt_yet';
}
export interface ProposeSkillsOutput {
  proposalCount: number;
}
export interface ProposeGoalOutput {
  condition: string;
  askUser: boolean;
}
export interface ClaudeDesignOutput {
  operation: string;
  content: Any[];
  isError?: boolean;
}

type Project<Method extends string> = { method: `project_${Method}`; notice?: string };
export type ProjectsOutput =
  | (Project<'info'> & {
      local_file?: string;
      name: string;
      description: string;
      instructions: string;
      docs: { path: string; created_at: string | null }[];
      files?: { path: string; file_kind: string; created_at: string | null }[];
      sync_sources?: { type: string | null; config: Any }[];
      knowledge: { knowledge_size: number; max_knowledge_size: number };
    })
  | (Project<'read'> & {
      path: string;
      file_kind?: string;
      content?: string;
      local_file?: string;
      created_at: string | null;
    })
  | (Project<'search'> & {
      rag: boolean;
      hits?: { name?: string; doc_uuid?: string; text?: string; image_attached?: boolean; page?: number }[];
      docs?: string[];
    })
  | (Project<'write'> & {
      path: string;
      doc_uuid: string;
      replaced: boolean;
      present_to_user?: boolean;
      local_path?: string;
    })
  | (Project<'delete'> & { path: string; deleted: boolean })
  | (Project<'memory_list'> & {
      files: { path: string; size_bytes: number; updated_at: string | null; truncated: boolean }[];
      truncated: boolean;
    })
  | (Project<'memory_read'> & {
      path: string;
      content?: string;
      local_file?: string;
      size_bytes: number;
      updated_at: string | null;
      truncated: boolean;
    });
