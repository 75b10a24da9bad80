import { suggest } from '@coxswain/shared/unknown-name';
import { type Warning, warning } from '../warnings/warning.ts';
import type { AgentOptions } from './option-types.ts';
import { toolNameOf } from './server-names.ts';

/** The permission rules, as the caller gave them. */
export type ToolRules = Pick<AgentOptions, 'allowedTools' | 'disallowedTools'>;

/** The tools and servers that `system/init` lists. */
export interface ListedTools {
  readonly tools: readonly string[];
  readonly mcpServers: readonly { readonly name: string }[];
}

/**
 * Warns about rules for tools that do not exist, which have no effect. The CLI does not list denied tools, so a deny rule is
 * suspect only if its tool resembles an existing name.
 */
export function unknownTools({ allowedTools = [], disallowedTools = [] }: ToolRules, listed: ListedTools): Warning[] {
  if (listed.tools.length === 0) return [];
  const names = [...builtInTools, ...listed.tools];
  const warnings: Warning[] = [];
  for (const [option, rules] of Object.entries({ allowedTools, disallowedTools })) {
    for (const rule of rules) {
      const tool = toolOf(rule);
      if (tool === undefined || exists(tool, listed)) continue;
      const meant = suggest(tool, names);
      if (meant === undefined && option === 'disallowedTools') continue;
      const guess = meant === undefined ? '' : ` Did you mean ${meant}?`;
      const message = `${option} names ${tool}, but the CLI lists no such tool.${guess}`;
      warnings.push(warning('unknown-tool', message, { option, rule, ...(meant ? { meant } : {}) }));
    }
  }
  return warnings;
}

/** The tool of a rule: `Bash` for `Bash(git log *)`; `undefined` for text that is not a single rule. */
function toolOf(rule: string): string | undefined {
  return /^([\w-]+\*?)\s*(?:\(.*\))?$/s.exec(rule.trim())?.[1];
}

function exists(tool: string, { tools, mcpServers }: ListedTools): boolean {
  if (builtInTools.has(tool) || tools.includes(tool)) return true;
  if (!tool.startsWith('mcp__')) return false;
  const start = tool.endsWith('*') ? tool.slice(0, -1) : `${tool}__`;
  if (tools.some((name) => name.startsWith(start))) return true;
  // A server that has not listed its tools yet may have this one.
  return [...new Set(mcpServers.map(({ name }) => name))].some((name) => {
    const ofServer = toolNameOf(name, '');
    return start.startsWith(ofServer) && !tools.some((listed) => listed.startsWith(ofServer));
  });
}

/**
 * Built-in tools of any release and platform. Releases rename and merge tools, so a session has only some of them, and a
 * rule for a missing one is not a mistake. Tools that every session lists need not be included.
 */
export const builtInTools: ReadonlySet<string> = new Set(
  `
  Agent AskUserQuestion Bash BashOutput CronCreate CronDelete CronList Edit EnterPlanMode EnterWorktree
  ExitPlanMode ExitWorktree Glob Grep KillBash KillShell LS LSP ListAgents ListMcpResources
  ListMcpResourcesTool Monitor MultiEdit NotebookEdit NotebookRead PowerShell Read ReadMcpResource
  ReadMcpResourceTool ReportFindings ScheduleWakeup SendMessage Skill SlashCommand StructuredOutput Task
  TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TodoRead TodoWrite ToolSearch WebFetch WebSearch
  Workflow Write
`
    .trim()
    .split(/\s+/),
);
