/** The types of built-in tools, under names of the official entry. Their inputs are those of `coxswain`. */
export type {
  AgentToolInput as AgentInput,
  AskUserQuestionInput,
  BashInput,
  EditInput as FileEditInput,
  ExitPlanModeInput,
  GlobInput,
  GrepInput,
  NotebookEditInput,
  ReadInput as FileReadInput,
  SkillInput,
  TodoWriteInput,
  WebFetchInput,
  WebSearchInput,
  WriteInput as FileWriteInput,
} from 'coxswain';

/** The input of `TaskCreate`, as Claude Code 2.1.325 describes it to the model. */
export interface TaskCreateInput {
  subject: string;
  description: string;
  activeForm?: string;
  metadata?: Record<string, unknown>;
}

/** The `tool_use_result` of `TaskCreate`. */
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
