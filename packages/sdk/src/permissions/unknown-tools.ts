import { toolNameOf } from '../options/sdk-server.ts';
import { suggest } from '../options/suggest.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import { builtInTools } from './built-in-tools.ts';

/** The rules of a run, as its caller gave them. */
export interface ToolRules {
  readonly allowedTools?: readonly string[] | undefined;
  readonly disallowedTools?: readonly string[] | undefined;
}

/** What `system/init` has listed. */
export interface ListedTools {
  readonly tools: readonly string[];
  readonly mcpServers: readonly { readonly name: string }[];
}

/**
 * Warns of rules for tools that do not exist: what they should allow is asked about, what they should deny is not denied.
 * A denied tool is not listed even when it exists, so a rule that denies is suspect only when it resembles a name there is.
 */
export function unknownTools({ allowedTools = [], disallowedTools = [] }: ToolRules, listed: ListedTools): Warning[] {
  if (listed.tools.length === 0) return [];
  const names = [...builtInTools, ...listed.tools];
  const warnings: Warning[] = [];
  const say = (option: keyof ToolRules, rule: string, meant: string | undefined): void => {
    const guess = meant === undefined ? '' : ` Did you mean ${meant}?`;
    const message = `${option} names ${toolOf(rule)}, and the CLI has listed no such tool.${guess}`;
    warnings.push(warning('unknown-tool', message, { option, rule, ...(meant ? { meant } : {}) }));
  };
  for (const rule of allowedTools) {
    const tool = toolOf(rule);
    if (tool !== undefined && !exists(tool, listed)) say('allowedTools', rule, suggest(tool, names));
  }
  for (const rule of disallowedTools) {
    const tool = toolOf(rule);
    const meant = tool === undefined || exists(tool, listed) ? undefined : suggest(tool, names);
    if (meant !== undefined) say('disallowedTools', rule, meant);
  }
  return warnings;
}

/** `Bash` of `Bash(git log *)`; nothing for what is not one rule. */
function toolOf(rule: string): string | undefined {
  return /^([\w-]+\*?)\s*(?:\(.*\))?$/s.exec(rule.trim())?.[1];
}

function exists(tool: string, { tools, mcpServers }: ListedTools): boolean {
  if (builtInTools.has(tool) || tools.includes(tool)) return true;
  if (!tool.startsWith('mcp__')) return false;
  const start = tool.endsWith('*') ? tool.slice(0, -1) : `${tool}__`;
  if (tools.some((name) => name.startsWith(start))) return true;
  // A server that has told no tools yet may still have this one.
  return mcpServers.some(({ name }) => {
    const ofServer = toolNameOf(name, '');
    return start.startsWith(ofServer) && !tools.some((listed) => listed.startsWith(ofServer));
  });
}
