import type { ApiRequest } from '@coxswain/testkit';

/**
 * True for a tool whose effects stay in the rehearsal: it runs commands only by the shell, or touches only files of the workspace, or
 * nothing. A tool that the CLI does not offer is also called: the CLI answers that it does not exist.
 */
export function isRehearsed(
  name: string,
  { tools, deferredTools }: Pick<ApiRequest, 'tools' | 'deferredTools'>,
): boolean {
  if (CONTAINED.has(name) || name.startsWith('mcp__')) return true;
  return !tools.includes(name) && !deferredTools.includes(name);
}

/** True for a tool whose input has a command that the CLI gives to the shell. */
export function runsCommand(name: string): boolean {
  return name === 'Bash' || name === 'Monitor';
}

const CONTAINED: ReadonlySet<string> = new Set([
  ...[
    'Agent',
    'AskUserQuestion',
    'Bash',
    'BashOutput',
    'CronDelete',
    'CronList',
    'Edit',
    'EnterPlanMode',
    'ExitPlanMode',
  ],
  ...['Glob', 'Grep', 'KillBash', 'KillShell', 'LS', 'ListAgents', 'ListMcpResourcesTool', 'Monitor', 'MultiEdit'],
  ...['NotebookEdit', 'NotebookRead', 'Read', 'ReadMcpResourceTool', 'ReportFindings', 'SendMessage', 'Skill'],
  ...['StructuredOutput', 'Task', 'TaskCreate', 'TaskGet', 'TaskList', 'TaskOutput', 'TaskStop', 'TaskUpdate'],
  ...['TodoWrite', 'ToolSearch', 'WebFetch', 'WebSearch', 'Write'],
]);
