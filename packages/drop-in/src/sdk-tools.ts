import type { ToolInputs } from 'coxswain';

// The types of built-in tools, under names of the official entry. Their inputs are those of `coxswain`.
export type AgentInput = ToolInputs['Agent'];
export type AskUserQuestionInput = ToolInputs['AskUserQuestion'];
export type BashInput = ToolInputs['Bash'];
export type ExitPlanModeInput = ToolInputs['ExitPlanMode'];
export type FileEditInput = ToolInputs['Edit'];
export type FileReadInput = ToolInputs['Read'];
export type FileWriteInput = ToolInputs['Write'];
export type GlobInput = ToolInputs['Glob'];
export type GrepInput = ToolInputs['Grep'];
export type NotebookEditInput = ToolInputs['NotebookEdit'];
export type SkillInput = ToolInputs['Skill'];
export type TodoWriteInput = ToolInputs['TodoWrite'];
export type WebFetchInput = ToolInputs['WebFetch'];
export type WebSearchInput = ToolInputs['WebSearch'];

/** The input of `TaskCreate`, as Claude Code 2.1.325 describes it to the model. */
export interface TaskCreateInput {
  subject: string;
  description: string;
  activeForm?: string;
  metadata?: Record<string, unknown>;
}

/** What `TaskCreate` returns in `tool_use_result`. */
export interface TaskCreateOutput {
  task: { id: string; subject: string; description?: string };
}

/** The input of `TaskUpdate`. A metadata key with the value `null` is deleted. */
export interface TaskUpdateInput {
  taskId: string;
  subject?: string;
  description?: string;
  activeForm?: string;
  status?: 'pending' | 'in_progress' | 'completed' | 'deleted';
  addBlocks?: string[];
  addBlockedBy?: string[];
  owner?: string;
  metadata?: Record<string, unknown>;
}
