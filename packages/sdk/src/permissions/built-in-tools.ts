/**
 * Built-in tools of any release and platform. A session has some of them: releases rename them and fold one into another, so
 * a rule for one that is not there is no slip. Those that every session lists need not be here.
 */
export const builtInTools: ReadonlySet<string> = new Set([
  ...[
    'Agent',
    'AskUserQuestion',
    'Bash',
    'BashOutput',
    'CronCreate',
    'CronDelete',
    'CronList',
    'Edit',
    'EnterPlanMode',
  ],
  ...[
    'EnterWorktree',
    'ExitPlanMode',
    'ExitWorktree',
    'Glob',
    'Grep',
    'KillBash',
    'KillShell',
    'LS',
    'LSP',
    'ListAgents',
  ],
  ...['ListMcpResources', 'ListMcpResourcesTool', 'Monitor', 'MultiEdit', 'NotebookEdit', 'NotebookRead', 'PowerShell'],
  ...['Read', 'ReadMcpResource', 'ReadMcpResourceTool', 'ReportFindings', 'ScheduleWakeup', 'SendMessage', 'Skill'],
  ...['SlashCommand', 'StructuredOutput', 'Task', 'TaskCreate', 'TaskGet', 'TaskList', 'TaskOutput', 'TaskStop'],
  ...['TaskUpdate', 'TodoRead', 'TodoWrite', 'ToolSearch', 'WebFetch', 'WebSearch', 'Workflow', 'Write'],
]);
