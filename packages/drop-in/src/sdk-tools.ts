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
