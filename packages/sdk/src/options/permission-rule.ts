import { type Check, list, text } from './checks.ts';
import { builtInTools } from './unknown-tools.ts';

/** Rules for `allowedTools`. */
export const allowRules: Check = list(rule((given) => formProblem(given) ?? cutProblem(given)));

/** Rules for `disallowedTools`. */
export const denyRules: Check = list(rule((given) => formProblem(given) ?? deadProblem(given) ?? cutProblem(given)));

/** Allow and ask rules in settings, which the CLI does not split at separators. */
export const settingsRules: Check = list(rule(formProblem));

/** Deny rules in settings and agents. */
export const settingsDenyRules: Check = list(rule((given) => formProblem(given) ?? deadProblem(given)));

/** An agent's tools. The CLI ignores patterns in this list, except names of agents that the agent may start. */
export const agentTools: Check = list(
  rule((given) => {
    const [, tool = given] = /^([^(]*)\(/.exec(given) ?? [];
    if (tool === given || tool === 'Agent' || tool === 'Task') return undefined;
    return `gives the agent every call of ${tool}: the CLI ignores the pattern here. Deny the other calls in disallowedTools of the options.`;
  }),
);

/** A permission rule. If the CLI reads it differently, it allows or denies something else, usually nothing. */
function rule(problemOf: (rule: string) => string | undefined): Check {
  const line = text();
  return (value, path, report) => {
    const given = line(value, path, report);
    if (typeof given !== 'string') return undefined;
    const trimmed = given.trim();
    const problem = problemOf(trimmed);
    return problem === undefined ? trimmed : void report(path, problem);
  };
}

/** `Bash`, `Bash(git log *)`, `mcp__files__*`. The API allows no other characters in tool names. */
const RULE = /^(?<tool>[\w*-]+)(?:\((?<pattern>.*)\))?$/s;

function formProblem(given: string): string | undefined {
  const { tool = '', pattern } = RULE.exec(given)?.groups ?? {};
  if (tool === '') {
    const meant = /^mcp__[^()]+$/.test(given) ? ` In names the CLI replaces other characters with _.` : '';
    return `is not a permission rule: write Tool or Tool(pattern), one in each item.${meant}`;
  }
  if (/^[a-z][^_*]*$/.test(tool))
    return `names no tool: tools begin with a capital letter, as ${capitalised(tool)} does.`;
  const meant = BUILT_IN.get(tool.toLowerCase());
  if (meant !== undefined && meant !== tool) return `names no tool: the CLI writes ${meant}.`;
  if (pattern === undefined) return undefined;
  if (tool.includes('*')) return 'cannot have a pattern: the CLI compares patterns with calls of one tool only.';
  if (tool.startsWith('mcp__')) return `cannot have a pattern: the CLI matches tools of MCP servers by name, ${tool}.`;
  // The CLI reads an empty pattern as every call, and `:*` alone as none.
  if (/^\s*(:\*)?\s*$/.test(pattern)) return `has an empty pattern: write ${tool} for every call.`;
  return pattern === '*' ? undefined : unreadProblem(tool, pattern);
}

/** Built-in tools by their lowercase names. */
const BUILT_IN: ReadonlyMap<string, string> = new Map(Array.from(builtInTools, (name) => [name.toLowerCase(), name]));

/** Tools whose patterns are paths. */
const OF_PATHS: readonly string[] = ['Read', 'Edit', 'Write', 'MultiEdit', 'NotebookEdit', 'Glob'];

/** Patterns with which 2.1.325 silently drops a rule from its settings. */
function unreadProblem(tool: string, pattern: string): string | undefined {
  if (tool === 'WebFetch' && !pattern.startsWith('domain:')) return `is not read by the CLI: write WebFetch(domain:…).`;
  if (tool === 'WebSearch' && pattern.includes('*')) return 'is not read by the CLI: searches have no wildcards.';
  if (OF_PATHS.includes(tool) && pattern.includes(':*')) return 'is not read by the CLI: only commands end with :*.';
  return undefined;
}

/** The CLI compares the paths of these tools only with rules for another tool. Measured on 2.1.197 and 2.1.325. */
const COVERED_BY: ReadonlyMap<string, string> = new Map([
  ['Write', 'Edit'],
  ['MultiEdit', 'Edit'],
  ['NotebookEdit', 'Edit'],
  ['Glob', 'Read'],
]);

/** Tools whose patterns are commands. */
const COMMANDS: readonly string[] = ['Bash', 'PowerShell'];

function deadProblem(given: string): string | undefined {
  const { tool = '', pattern } = RULE.exec(given)?.groups ?? {};
  // The CLI takes the text before a final `:*` literally, and `:*` itself if spaces follow it. Measured on 2.1.325.
  if (COMMANDS.includes(tool) && /\*.*:\*$|:\*\s+$/s.test(pattern ?? '')) {
    return `denies nothing: write either ${tool}(command *) or ${tool}(command:*).`;
  }
  const instead = pattern === undefined || pattern === '*' ? undefined : COVERED_BY.get(tool);
  if (instead === undefined) return undefined;
  return `denies nothing: the CLI compares paths with rules of ${instead} only, for ${tool} too. Write ${instead}(${pattern}).`;
}

/** On the command line the CLI splits a list at commas and spaces that do not follow an open parenthesis. */
function cutProblem(given: string): string | undefined {
  let open = false;
  for (const sign of given) {
    if (sign === '(') open = true;
    else if (sign === ')') open = false;
    else if (!open && (sign === ',' || /\s/.test(sign))) {
      return 'would be split by the CLI after its inner ")": pass it in settings.permissions instead.';
    }
  }
  return undefined;
}

function capitalised(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
