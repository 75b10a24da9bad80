import type { Effort, Finding, Question, Todo } from './inputs.ts';

// The results of built-in tools: `tool_response` of a hook, `tool_use_result` of a message.

type Any = { [field: string]: unknown };
type ImageType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';

export type AgentOutput =
  | {
      status: 'completed';
      agentId: string;
      agentType?: string;
      prompt: string;
      content: { type: 'text'; text: string; citations?: unknown[] | null }[];
      resolvedModel?: string;
      modelsUsed?: string[];
      totalToolUseCount: number;
      totalDurationMs: number;
      totalTokens: number;
      usage: AgentUsage;
      toolsUsed?: string[];
      toolStats?: {
        readCount: number;
        searchCount: number;
        bashCount: number;
        editFileCount: number;
        linesAdded: number;
        linesRemoved: number;
        otherToolCount: number;
        frameCount?: number;
      };
      worktreePath?: string;
      worktreeBranch?: string;
    }
  | {
      status: 'async_launched';
      isAsync?: true;
      agentId: string;
      description: string;
      resolvedModel?: string;
      modelsUsed?: string[];
      prompt: string;
      outputFile: string;
      canReadOutputFile?: boolean;
    }
  | {
      status: 'remote_launched';
      taskId: string;
      sessionUrl: string;
      description: string;
      prompt: string;
      outputFile: string;
    };

type AgentUsage = {
  input_tokens: number;
  output_tokens: number;
  cache_creation_input_tokens: number | null;
  cache_read_input_tokens: number | null;
  server_tool_use: { web_search_requests: number; web_fetch_requests: number } | null;
  service_tier: string | null;
  cache_creation: { ephemeral_1h_input_tokens: number; ephemeral_5m_input_tokens: number } | null;
  inference_geo?: string | null;
  speed?: string | null;
  iterations?: unknown;
  output_tokens_details?: { thinking_tokens?: number | null } | null;
  fallback_credit?: unknown;
};

export interface BashOutput {
  stdout: string;
  stderr: string;
  rawOutputPath?: string;
  interrupted: boolean;
  isImage?: boolean;
  backgroundTaskId?: string;
  backgroundedByUser?: boolean;
  timedOutAfterMs?: number;
  backgroundCwdHint?: string;
  backgroundEndsWithFinalResponse?: true;
  backgroundWakesOwner?: true;
  dangerouslyDisableSandbox?: boolean;
  returnCodeInterpretation?: string;
  noOutputExpected?: boolean;
  structuredContent?: unknown[];
  persistedOutputPath?: string;
  persistedOutputSize?: number;
  staleReadFileStateHint?: string;
  ghRateLimitHint?: string;
  gitOperation?: {
    commit?: { sha: string; kind: 'committed' | 'amended' | 'cherry-picked'; branch?: string };
    push?: { branch: string };
    branch?: { ref: string; action: 'merged' | 'rebased' };
    pr?: {
      number: number;
      url?: string;
      action:
        | 'created'
        | 'edited'
        | 'merged'
        | 'commented'
        | 'closed'
        | 'reopened'
        | 'ready'
        | 'draft'
        | 'auto-merge-enabled'
        | 'auto-merge-disabled';
    };
  };
}

type ArtifactVersion = { slug: string; ver?: string; seeded?: false };

export type FileReadOutput =
  | {
      type: 'text';
      file: {
        filePath: string;
        content: string;
        numLines: number;
        startLine: number;
        totalLines: number;
        truncatedByTokenCap?: boolean;
      };
      artifactRead?: { slug: string; ver: string };
    }
  | {
      type: 'image';
      file: {
        base64: string;
        type: ImageType;
        originalSize: number;
        dimensions?: {
          originalWidth?: number;
          originalHeight?: number;
          displayWidth?: number;
          displayHeight?: number;
        };
      };
    }
  | { type: 'notebook'; file: { filePath: string; cells: unknown[] } }
  | { type: 'pdf'; file: { filePath: string; base64: string; originalSize: number } }
  | {
      type: 'parts';
      file: { filePath: string; originalSize: number; count: number; outputDir: string };
      firstPage?: number;
      pages?: { base64: string; mediaType: ImageType; error?: string }[];
    };

type Patch = { oldStart: number; oldLines: number; newStart: number; newLines: number; lines: string[] };
type GitDiff = {
  filename: string;
  status: 'modified' | 'added';
  additions: number;
  deletions: number;
  changes: number;
  patch: string;
  repository?: string | null;
};

export interface FileEditOutput {
  filePath: string;
  oldString: string;
  newString: string;
  originalFile: string | null;
  structuredPatch: Patch[];
  userModified: boolean;
  replaceAll: boolean;
  gitDiff?: GitDiff;
  staged?: boolean;
}

export interface FileWriteOutput {
  type: 'create' | 'update';
  filePath: string;
  content: string;
  structuredPatch: Patch[];
  originalFile: string | null;
  gitDiff?: GitDiff;
  userModified?: boolean;
  staged?: boolean;
}

export interface NotebookEditOutput {
  new_source: string;
  old_source?: string;
  cell_id?: string;
  cell_type: 'code' | 'markdown';
  language: string;
  edit_mode: string;
  error?: string;
  notebook_path: string;
  original_file: string;
  updated_file: string;
}

export interface GlobOutput {
  durationMs: number;
  numFiles: number;
  filenames: string[];
  truncated: boolean;
  totalMatches?: number;
  countIsComplete?: boolean;
  timedOut?: boolean;
}

export interface GrepOutput {
  mode?: 'content' | 'files_with_matches' | 'count';
  numFiles: number;
  filenames: string[];
  content?: string;
  numLines?: number;
  numMatches?: number;
  totalFiles?: number;
  totalLines?: number;
  appliedLimit?: number;
  appliedOffset?: number;
  timedOut?: boolean;
}

export interface WebFetchOutput {
  bytes: number;
  code: number;
  codeText: string;
  result: string;
  durationMs: number;
  url: string;
  artifactRead?: ArtifactVersion;
}

export interface WebSearchOutput {
  query: string;
  results: (string | { tool_use_id: string; content: { title: string; url: string; snippet?: string }[] })[];
  durationSeconds: number;
  searchCount?: number;
}

export interface TodoWriteOutput {
  oldTodos: Todo[];
  newTodos: Todo[];
}

export interface AskUserQuestionOutput {
  questions: Question[];
  answers: { [question: string]: string };
  response?: string;
  annotations?: {
    [question: string]: {
      preview?: string;
      notes?: string;
      unanswered?: 'skipped' | 'replied_in_chat' | 'dismissed';
    };
  };
  afkTimeoutMs?: number;
}

export interface EnterPlanModeOutput {
  message: string;
}
export interface ExitPlanModeOutput {
  plan: string | null;
  isAgent: boolean;
  filePath?: string;
  hasTaskTool?: boolean;
  planWasEdited?: boolean;
  awaitingLeaderApproval?: boolean;
  requestId?: string;
}

export interface EnterWorktreeOutput {
  worktreePath: string;
  worktreeBranch?: string;
  message: string;
}
export interface ExitWorktreeOutput {
  action: 'keep' | 'remove';
  originalCwd: string;
  worktreePath: string;
  worktreeBranch?: string;
  tmuxSessionName?: string;
  discardedFiles?: number;
  discardedCommits?: number;
  message: string;
}

type TaskStatus = Todo['status'];
export interface TaskCreateOutput {
  task: { id: string; subject: string; description?: string };
}
export interface TaskGetOutput {
  task: {
    id: string;
    subject: string;
    description: string;
    status: TaskStatus;
    blocks: string[];
    blockedBy: string[];
  } | null;
}
export interface TaskUpdateOutput {
  success: boolean;
  taskId: string;
  updatedFields: string[];
  error?: string;
  statusChange?: { from: string; to: string };
}
export interface TaskListOutput {
  tasks: { id: string; subject: string; status: TaskStatus; owner?: string; blockedBy: string[] }[];
}
export interface TaskStopOutput {
  message: string;
  task_id: string;
  task_type: string;
  command?: string;
}

/** The result of a tool of an MCP server. */
export type McpOutput = string | (Any & { type: string })[] | Any;
export type ListMcpResourcesOutput = {
  uri: string;
  name: string;
  mimeType?: string;
  description?: string;
  server: string;
}[];
export interface ReadMcpResourceOutput {
  contents: { uri: string; mimeType?: string; text?: string; blobSavedTo?: string }[];
  error?: string;
}
export interface ReadMcpResourceDirOutput {
  resources: { uri: string; name: string; mimeType?: string }[];
  error?: string;
}
export type RefreshMcpToolsOutput = {
  server: string;
  status: 'refreshed' | 'error' | 'not_connected';
  toolCount?: number;
  added?: string[];
  removed?: string[];
  error?: string;
}[];

export interface ReportFindingsOutput {
  count: number;
  level?: Effort;
  findings: Finding[];
}
