/** A parsed permission rule: `Bash(git log *)`, `Read(./.env)`, `mcp__calc`. */
export interface PermissionRule {
  /** The whole rule. */
  readonly text: string;
  readonly tool: string;
  /** The condition in parentheses; undefined for a rule about the whole tool. */
  readonly content: string | undefined;
}

/** The rules of a run, by their effect. */
export interface RuleSet {
  readonly allow: readonly PermissionRule[];
  readonly deny: readonly PermissionRule[];
  readonly ask: readonly PermissionRule[];
}

/** Whether a rule matches a call; `unknown` if only the real CLI can decide that. */
export type Fit = 'yes' | 'no' | 'unknown';

/** Splits a rule into its tool and its condition. */
export function parseRule(text: string): PermissionRule {
  const [, tool = text, content] = /^([^(]+)\((.*)\)$/s.exec(text) ?? [];
  return { text, tool, content };
}

/** True if a rule covers every call of its tool. */
export function isWhole({ content }: PermissionRule): boolean {
  return content === undefined || content === '*';
}

/** True if a rule covers the tool of a call. A rule for an MCP server covers all tools of the server. */
export function namesTool(rule: PermissionRule, name: string): boolean {
  const { tool } = rule;
  if (tool === name || (isAgent(tool) && isAgent(name))) return true;
  if (!tool.startsWith('mcp__')) return false;
  return name.startsWith(`${tool}__`) || (tool.endsWith('__*') && name.startsWith(tool.slice(0, -1)));
}

/** True for both names of the tool that starts agents. */
function isAgent(name: string): boolean {
  return name === 'Agent' || name === 'Task';
}
