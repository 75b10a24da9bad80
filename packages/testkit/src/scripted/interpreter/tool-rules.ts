import type { JsonObject } from '../script-data.ts';

/** A call to look up rules for. */
export interface RuledCall {
  readonly name: string;
  readonly input: JsonObject;
}

/** Whether a rule removes a whole tool for any input: `Write`, `mcp__server`, `mcp__server__*`. */
export function namesTool(rule: string, name: string): boolean {
  const { tool, content } = parse(rule);
  return content === undefined && toolFits(tool, name);
}

/** Whether a rule denies this call: one part of a command is enough. */
export function isDenied(rules: readonly string[], call: RuledCall, cwd: string): boolean {
  return rules.some((rule) => parts(call).some((part) => fits(rule, part, cwd)));
}

/** Whether the rules allow this call: every part of a command needs a rule. */
export function isAllowed(rules: readonly string[], call: RuledCall, cwd: string): boolean {
  return parts(call).every((part) => rules.some((rule) => fits(rule, part, cwd)));
}

const editors: ReadonlySet<string> = new Set(['Edit', 'Write', 'NotebookEdit']);
const readers: ReadonlySet<string> = new Set(['Read', 'Glob', 'Grep']);

function parse(rule: string): { readonly tool: string; readonly content: string | undefined } {
  const [, tool = rule, content] = /^([^(]+)\((.*)\)$/s.exec(rule) ?? [];
  return { tool, content: content === '*' ? undefined : content };
}

/** Each command of a shell line counts separately. */
function parts({ name, input }: RuledCall): readonly RuledCall[] {
  if (name !== 'Bash' || typeof input.command !== 'string') return [{ name, input }];
  const commands = input.command.split(/&&|\|\||[;|&\n]/).map((command) => command.trim());
  return commands.filter((command) => command !== '').map((command) => ({ name, input: { command } }));
}

function fits(rule: string, { name, input }: RuledCall, cwd: string): boolean {
  const { tool, content } = parse(rule);
  if (content === undefined) return toolFits(tool, name);
  if (tool === 'Bash') return name === 'Bash' && commandFits(content, String(input.command));
  if (tool === 'Edit' && editors.has(name)) return pathFits(content, input, cwd);
  if (tool === 'Read' && readers.has(name)) return pathFits(content, input, cwd);
  if (!toolFits(tool, name)) return false;
  if (editors.has(name)) return pathFits(content, input, cwd);
  if (name === 'WebFetch') return domainFits(content, String(input.url));
  if (name === 'Agent' || name === 'Task') return content === input.subagent_type;
  return false;
}

function toolFits(tool: string, name: string): boolean {
  if (tool === name || (isAgent(tool) && isAgent(name))) return true;
  if (!tool.startsWith('mcp__')) return false;
  return name.startsWith(`${tool}__`) || glob(tool).test(name);
}

/** The tool that starts agents has two names. */
function isAgent(name: string): boolean {
  return name === 'Agent' || name === 'Task';
}

/** `git log *` and `git log:*` also match the command alone; a star without a space before it matches anything. */
function commandFits(pattern: string, command: string): boolean {
  const source = pattern.replace(/:\*$/, ' *');
  const loose = source.endsWith(' *') ? `${literal(source.slice(0, -2))}(\\s.*)?` : literal(source);
  return new RegExp(`^${loose}$`, 's').test(command);
}

function literal(pattern: string): string {
  return pattern
    .split('*')
    .map((text) => text.replace(/[\\^$.+?()[\]{}|/]/g, '\\$&'))
    .join('.*');
}

/** Paths as in a .gitignore: `//` starts an absolute one, a name without a slash matches at any depth. */
function pathFits(pattern: string, input: JsonObject, cwd: string): boolean {
  const given = input.file_path ?? input.notebook_path ?? input.path;
  if (typeof given !== 'string') return false;
  const path = given.startsWith('/') ? given : `${cwd}/${given}`;
  if (pattern.startsWith('//')) return glob(pattern.slice(1)).test(path);
  const inside = path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : undefined;
  if (inside === undefined) return false;
  const relative = pattern.replace(/^\.?\//, '');
  const anywhere = !relative.includes('/') && pattern === relative;
  return glob(anywhere ? `**/${relative}` : relative).test(inside) || glob(`${relative}/**`).test(inside);
}

function glob(pattern: string): RegExp {
  const source = pattern.replace(/\*\*\/|\*\*|\*|[\\^$.+?()[\]{}|/]/g, (token) => {
    if (token === '**/') return '(.*/)?';
    if (token === '**') return '.*';
    return token === '*' ? '[^/]*' : `\\${token}`;
  });
  return new RegExp(`^${source}$`);
}

function domainFits(content: string, url: string): boolean {
  const [, domain] = /^domain:(.+)$/.exec(content) ?? [];
  if (domain === undefined || !URL.canParse(url)) return false;
  return glob(domain.replace(/^\*\./, '**.')).test(new URL(url).hostname);
}
