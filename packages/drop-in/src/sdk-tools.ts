// The types of built-in tools, under the names of the official entry.
import type { ArtifactOutput } from './tool-types/artifact-output.ts';
import type * as inputs from './tool-types/inputs.ts';
import type * as outputs from './tool-types/outputs.ts';
import type * as session from './tool-types/session-outputs.ts';

export type { ArtifactOutput } from './tool-types/artifact-output.ts';
export type {
  AgentInput,
  ArtifactInput,
  AskUserQuestionInput,
  BashInput,
  ClaudeDesignInput,
  CronCreateInput,
  CronDeleteInput,
  CronListInput,
  EnterPlanModeInput,
  EnterWorktreeInput,
  ExitPlanModeInput,
  ExitWorktreeInput,
  FileEditInput,
  FileReadInput,
  FileWriteInput,
  GlobInput,
  GrepInput,
  ListMcpResourcesInput,
  McpInput,
  MonitorInput,
  NotebookEditInput,
  OfferChromeSetupInput,
  ProjectsInput,
  ProposeGoalInput,
  ProposeSkillsInput,
  PushNotificationInput,
  ReadMcpResourceDirInput,
  ReadMcpResourceInput,
  ReadNotificationsInput,
  RefreshMcpToolsInput,
  RemoteTriggerInput,
  ReportFindingsInput,
  ScheduleWakeupInput,
  SendFeedbackInput,
  ShowOnboardingRolePickerInput,
  TaskCreateInput,
  TaskGetInput,
  TaskListInput,
  TaskStopInput,
  TaskUpdateInput,
  TodoWriteInput,
  WebFetchInput,
  WebSearchInput,
  WorkflowInput,
} from './tool-types/inputs.ts';
export type * from './tool-types/outputs.ts';
export type * from './tool-types/session-outputs.ts';

/** The input or the result of a built-in tool. */
export type ToolInputSchemas =
  | inputs.AgentInput
  | inputs.BashInput
  | inputs.FileEditInput
  | inputs.FileReadInput
  | inputs.FileWriteInput
  | inputs.NotebookEditInput
  | inputs.GlobInput
  | inputs.GrepInput
  | inputs.WebFetchInput
  | inputs.WebSearchInput
  | inputs.TodoWriteInput
  | inputs.AskUserQuestionInput
  | inputs.EnterPlanModeInput
  | inputs.ExitPlanModeInput
  | inputs.EnterWorktreeInput
  | inputs.ExitWorktreeInput
  | inputs.TaskCreateInput
  | inputs.TaskGetInput
  | inputs.TaskUpdateInput
  | inputs.TaskListInput
  | inputs.TaskStopInput
  | inputs.McpInput
  | inputs.ListMcpResourcesInput
  | inputs.ReadMcpResourceInput
  | inputs.ReadMcpResourceDirInput
  | inputs.RefreshMcpToolsInput
  | inputs.ReportFindingsInput
  | inputs.SendFeedbackInput
  | inputs.WorkflowInput
  | inputs.CronCreateInput
  | inputs.CronDeleteInput
  | inputs.CronListInput
  | inputs.ScheduleWakeupInput
  | inputs.RemoteTriggerInput
  | inputs.MonitorInput
  | inputs.PushNotificationInput
  | inputs.ReadNotificationsInput
  | inputs.ShowOnboardingRolePickerInput
  | inputs.OfferChromeSetupInput
  | inputs.ProposeGoalInput
  | inputs.ProposeSkillsInput
  | inputs.ClaudeDesignInput
  | inputs.ProjectsInput
  | inputs.ArtifactInput
  | ToolOutputSchemas;

/** The result of a built-in tool. */
export type ToolOutputSchemas =
  | ArtifactOutput
  | outputs.AgentOutput
  | outputs.BashOutput
  | outputs.FileReadOutput
  | outputs.FileEditOutput
  | outputs.FileWriteOutput
  | outputs.NotebookEditOutput
  | outputs.GlobOutput
  | outputs.GrepOutput
  | outputs.WebFetchOutput
  | outputs.WebSearchOutput
  | outputs.TodoWriteOutput
  | outputs.AskUserQuestionOutput
  | outputs.EnterPlanModeOutput
  | outputs.ExitPlanModeOutput
  | outputs.EnterWorktreeOutput
  | outputs.ExitWorktreeOutput
  | outputs.TaskCreateOutput
  | outputs.TaskGetOutput
  | outputs.TaskUpdateOutput
  | outputs.TaskListOutput
  | outputs.TaskStopOutput
  | outputs.McpOutput
  | outputs.ListMcpResourcesOutput
  | outputs.ReadMcpResourceOutput
  | outputs.ReadMcpResourceDirOutput
  | outputs.RefreshMcpToolsOutput
  | outputs.ReportFindingsOutput
  | session.SendFeedbackOutput
  | session.WorkflowOutput
  | session.CronCreateOutput
  | session.CronDeleteOutput
  | session.CronListOutput
  | session.ScheduleWakeupOutput
  | session.RemoteTriggerOutput
  | session.MonitorOutput
  | session.PushNotificationOutput
  | session.ReadNotificationsOutput
  | session.ShowOnboardingRolePickerOutput
  | session.OfferChromeSetupOutput
  | session.ProposeSkillsOutput
  | session.ProposeGoalOutput
  | session.ClaudeDesignOutput
  | session.ProjectsOutput;
