/** A permission rule as people write it: `Bash(git log *)`, `Read(./.env)`, `mcp__calc`. */
export interface PermissionRule {
  /** The whole rule. */
  readonly text: string;
  readonly tool: string;
  /** The condition in parentheses; undefined for a rule about the whole tool. */
  readonly content: string | undefined;
}

/** The rules that apply to a run, by what they do. */
export interface RuleSet {
  readonly allow: readonly PermissionRule[];
  readonly deny: readonly PermissionRule[];
  readonly ask: readonly PermissionRule[];
}

/** Whether a rule fits a call; `unknown` if only the real CLI can decide that. */
export type Fit = 'yes' | 'no' | 'unknown';

/** Splits a rule into its tool and its condition. */
export function parseRule(text: string): PermissionRule {
  const [, tool = text, content] = /^([^(]+)\((.*)\)$/s.exec(text) ?? [];
  return { text, tool, content };
}

/** Whether a rule is about every call of its tool. */
export function isWhole({ content }: PermissionRule): boolean {
  return content === undefined || content === '*';
}

/** Whether the tool of a rule is the tool of a call. A rule for an MCP server covers all tools of the server. */
export function namesTool(rule: PermissionRule, name: string): boolean {
  const { tool } = rule;
  if (tool === name || (isAgent(tool) && isAgent(name))) return true;
  if (!tool.startsWith('mcp__')) return false;
  return name.startsWith(`${tool}__`) || (tool.endsWith('__*') && name.startsWith(tool.slice(0, -1)));
}

/** The tool that starts agents has two names. */
function isAgent(name: string): boolean {
  return name === 'Agent' || name === 'Task';
}
