// The inputs of built-in tools.

export type Effort = 'low' | 'medium' | 'high' | 'xhigh' | 'max';
type Any = { [field: string]: unknown };
type None = Record<never, never>;

export interface AgentInput {
  description: string;
  prompt: string;
  subagent_type?: string;
  model?: 'sonnet' | 'opus' | 'haiku' | 'fable';
  effort?: Effort;
  run_in_background?: boolean;
  name?: string;
  team_name?: string;
  mode?: 'acceptEdits' | 'auto' | 'bypassPermissions' | 'default' | 'dontAsk' | 'plan';
  isolation?: 'worktree' | 'remote';
}

export interface BashInput {
  command: string;
  timeout?: number;
  description?: string;
  run_in_background?: boolean;
  dangerouslyDisableSandbox?: boolean;
}

export interface FileEditInput {
  file_path: string;
  old_string: string;
  new_string: string;
  replace_all?: boolean;
}

export interface FileReadInput {
  file_path: string;
  offset?: number;
  limit?: number;
  pages?: string;
  allow_large?: boolean;
}

export interface FileWriteInput {
  file_path: string;
  content: string;
}

export interface NotebookEditInput {
  notebook_path: string;
  cell_id?: string;
  new_source: string;
  cell_type?: 'code' | 'markdown';
  edit_mode?: 'replace' | 'insert' | 'delete';
}

export interface GlobInput {
  pattern: string;
  path?: string;
}

export interface GrepInput {
  pattern: string;
  path?: string;
  glob?: string;
  output_mode?: 'content' | 'files_with_matches' | 'count';
  '-B'?: number;
  '-A'?: number;
  '-C'?: number;
  context?: number;
  '-n'?: boolean;
  '-i'?: boolean;
  '-o'?: boolean;
  type?: string;
  head_limit?: number;
  offset?: number;
  multiline?: boolean;
}

export interface WebFetchInput {
  url: string;
  prompt: string;
  offset?: number;
}

export interface WebSearchInput {
  query: string;
  allowed_domains?: string[];
  blocked_domains?: string[];
}

export type Todo = { content: string; status: 'pending' | 'in_progress' | 'completed'; activeForm: string };
export interface TodoWriteInput {
  todos: Todo[];
}

type Choice = { label: string; description: string; preview?: string };
/** A question has two to four options. */
export type Question = {
  question: string;
  header: string;
  options: [Choice, Choice] | [Choice, Choice, Choice] | [Choice, Choice, Choice, Choice];
  multiSelect: boolean;
};
export interface AskUserQuestionInput {
  questions:
    | [Question]
    | [Question, Question]
    | [Question, Question, Question]
    | [Question, Question, Question, Question];
  answers?: { [question: string]: string };
  annotations?: { [question: string]: { preview?: string; notes?: string } };
  metadata?: { source?: string };
}

export type EnterPlanModeInput = None;
export interface ExitPlanModeInput {
  allowedPrompts?: { tool: 'Bash'; prompt: string }[];
  [field: string]: unknown;
}

export interface EnterWorktreeInput {
  name?: string;
  path?: string;
}
export interface ExitWorktreeInput {
  action: 'keep' | 'remove';
  discard_changes?: boolean;
}

export interface TaskCreateInput {
  subject: string;
  description: string;
  activeForm?: string;
  metadata?: Any;
}
export interface TaskGetInput {
  taskId: string;
}
/** A metadata key with the value `null` is deleted. */
export interface TaskUpdateInput {
  taskId: string;
  subject?: string;
  description?: string;
  activeForm?: string;
  status?: 'pending' | 'in_progress' | 'completed' | 'deleted';
  addBlocks?: string[];
  addBlockedBy?: string[];
  owner?: string;
  metadata?: Any;
}
export type TaskListInput = None;
export interface TaskStopInput {
  task_id?: string;
  shell_id?: string;
}

/** The input of a tool of an MCP server. */
export interface McpInput {
  [field: string]: unknown;
}
export interface ListMcpResourcesInput {
  server?: string;
}
export interface ReadMcpResourceInput {
  server: string;
  uri: string;
}
export interface ReadMcpResourceDirInput {
  server: string;
  uri: string;
}
export interface RefreshMcpToolsInput {
  server?: string;
}

export type Finding = {
  file: string;
  line?: number;
  summary: string;
  short_summary?: string;
  failure_scenario: string;
  category?: string;
  verdict?: 'CONFIRMED' | 'PLAUSIBLE';
  outcome?: 'fixed' | 'skipped' | 'no_change_needed';
};
export interface ReportFindingsInput {
  level?: Effort;
  findings: Finding[];
}

export interface SendFeedbackInput {
  type: 'bug' | 'idea' | 'missing_capability';
  title: string;
  details: string;
  area?: string;
  failure_mode?:
    | 'instruction_following'
    | 'destructive_actions'
    | 'code_quality'
    | 'repetition_and_looping'
    | 'model_regression'
    | 'overconfidence_and_hallucination'
    | 'context_and_memory'
    | 'overeager'
    | 'over_correction'
    | 'stopping_short'
    | 'dispute_or_decline'
    | 'subagent_overspawn'
    | 'tone_or_preachiness'
    | 'excessive_questions'
    | 'unwanted_scope'
    | 'other';
  task_category?: 'code_edit' | 'debug' | 'explain' | 'plan' | 'shell' | 'search' | 'review' | 'other';
}

export interface WorkflowInput {
  script?: string;
  name?: string;
  description?: string;
  title?: string;
  args?: Any;
  scriptPath?: string;
  resumeFromRunId?: string;
}

export interface CronCreateInput {
  cron: string;
  prompt: string;
  recurring?: boolean;
  durable?: boolean;
}
export interface CronDeleteInput {
  id: string;
}
export type CronListInput = None;

export interface ScheduleWakeupInput {
  delaySeconds?: number;
  reason?: string;
  prompt?: string;
  stop?: boolean;
  noop?: boolean;
}

export interface RemoteTriggerInput {
  action: 'list' | 'get' | 'create' | 'update' | 'run' | 'create_webhook_trigger' | 'list_runs' | 'get_run_log';
  trigger_id?: string;
  session_id?: string;
  cursor?: string;
  body?: Any;
}

export interface MonitorInput {
  description: string;
  timeout_ms: number;
  command?: string;
  ws?: { url: string; protocols?: string[] };
}

export interface PushNotificationInput {
  message: string;
  status?: 'proactive';
}
export type ReadNotificationsInput = None;
export type ShowOnboardingRolePickerInput = None;
export interface OfferChromeSetupInput {
  reason?: string;
}

export interface ProposeGoalInput {
  condition: string;
  ask_user?: boolean;
}

type Replacement = { old_string: string; new_string: string };
type SkillProposal = {
  name: string;
  kind: 'new' | 'improvement';
  target?: string;
  description: string;
  evidence?: string[];
  edits?: [Replacement, ...Replacement[]];
  skillMd?: string;
};
export interface ProposeSkillsInput {
  proposals: [SkillProposal] | [SkillProposal, SkillProposal] | [SkillProposal, SkillProposal, SkillProposal];
}

export interface ClaudeDesignInput {
  operation: string;
  arguments: Any;
}

export interface ProjectsInput {
  method:
    | 'project_info'
    | 'project_read'
    | 'project_search'
    | 'project_write'
    | 'project_delete'
    | 'project_memory_list'
    | 'project_memory_read';
  path?: string;
  content?: string;
  local_path?: string;
  present_to_user?: boolean;
  query?: string;
  n?: number;
}

export interface ArtifactInput {
  action?:
    | 'publish'
    | 'list'
    | 'list_types'
    | 'read'
    | 'watch'
    | 'unwatch'
    | 'status'
    | 'upload_asset'
    | 'list_assets'
    | 'read_asset'
    | 'delete_asset'
    | 'pin'
    | 'unpin';
  file_path?: string;
  favicon?: string;
  icon?: string;
  limit?: number;
  page_token?: string;
  scope?: 'mine' | 'shared' | 'all';
  title?: string;
  description?: string;
  label?: string;
  url?: string;
  prompt?: string;
  force?: boolean;
  pin?: boolean;
  out_dir?: string;
  file_paths?: [string, ...string[]];
  asset_id?: string;
  after?: string;
  capabilities?: Any;
  contract?: string;
}
