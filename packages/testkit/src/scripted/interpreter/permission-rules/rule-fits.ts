import type { JsonObject } from '../../../json.ts';
import { type Base, fileFits } from './file-rule.ts';
import { type Fit, isWhole, namesTool, type PermissionRule } from './rule.ts';
import { isFlag, readShellLine, type ShellCommand, unquoted } from './shell-line.ts';

/** A tool call to decide about. */
export interface RuledCall {
  readonly name: string;
  readonly input: JsonObject;
}

/** Whether a rule that denies or asks fits a call: for a shell line, one of its commands is enough. */
export function restrains(rule: PermissionRule, call: RuledCall, base: Base): Fit {
  const { name, input } = call;
  if (isWhole(rule)) return namesTool(rule, name) ? 'yes' : 'no';
  if (name !== 'Bash') return fitsInput(rule, call, base, 'restrain');
  if (rule.tool !== 'Bash' && rule.tool !== 'Read' && rule.tool !== 'Edit') return 'no';
  const line = readShellLine(String(input.command));
  if ('problem' in line) return 'unknown';
  const fits = line.commands.map((command) =>
    rule.tool === 'Bash' ? restrainsCommand(rule, command) : touchesFile(rule, command, base),
  );
  return fits.find((fit) => fit === 'yes') ?? fits.find((fit) => fit === 'unknown') ?? 'no';
}

/** Whether a rule allows a call of a tool other than Bash. */
export function allowsCall(rule: PermissionRule, call: RuledCall, base: Base): Fit {
  if (isWhole(rule)) return namesTool(rule, call.name) ? 'yes' : 'no';
  return fitsInput(rule, call, base, 'allow');
}

/** Whether a condition fits a command: `git log *` and `git log:*` also fit the command alone. */
export function commandFits({ content = '' }: PermissionRule, { text }: ShellCommand): Fit {
  if (/[\\;|&<>$`\n]/.test(content) || content !== content.trim()) return 'unknown';
  const prefix = /^(.*)(?::| )\*$/.exec(content)?.[1];
  const source = literal(prefix ?? content);
  return new RegExp(prefix === undefined ? `^${source}$` : `^${source}(?: .*)?$`, 's').test(text) ? 'yes' : 'no';
}

/** The path that a call of a file tool is about. */
export function pathOf({ input }: RuledCall): string | undefined {
  const path = input.file_path ?? input.notebook_path ?? input.path;
  return typeof path === 'string' ? path : undefined;
}

export const EDITORS: ReadonlySet<string> = new Set(['Edit', 'Write', 'NotebookEdit']);
export const SEARCHERS: ReadonlySet<string> = new Set(['Glob', 'Grep']);

/** The release decides whether `/bin/rm` is `rm`. */
function restrainsCommand(rule: PermissionRule, command: ShellCommand): Fit {
  const fit = commandFits(rule, command);
  if (fit !== 'no' || !command.name.includes('/')) return fit;
  const bare = command.text.slice(command.name.lastIndexOf('/') + 1);
  return commandFits(rule, { ...command, text: bare }) === 'no' ? 'no' : 'unknown';
}

/** Which commands the CLI takes for readers or writers of a file was not measured one by one. */
function touchesFile({ content = '' }: PermissionRule, { args }: ShellCommand, base: Base): Fit {
  const may = args.map(unquoted).some((word) => {
    if (isFlag(word)) return /[./=]/.test(word);
    return /[*?]/.test(word) || word === '.' || fileFits(content, word, base) !== 'no';
  });
  return may ? 'unknown' : 'no';
}

function fitsInput(rule: PermissionRule, call: RuledCall, base: Base, purpose: 'allow' | 'restrain'): Fit {
  const { tool, content = '' } = rule;
  const { name, input } = call;
  const path = pathOf(call);
  if (name === 'Read' && tool === 'Read') return path === undefined ? 'unknown' : fileFits(content, path, base);
  if (EDITORS.has(name)) {
    if (tool === 'Edit') return path === undefined ? 'unknown' : fileFits(content, path, base);
    // Whether a file that must not be read may be written depends on the release.
    if (tool === 'Read' && purpose === 'restrain')
      return fileFits(content, path ?? '', base) === 'no' ? 'no' : 'unknown';
    // The CLI ignores the condition of `Write(…)`.
    return tool === name && name === 'NotebookEdit' ? 'unknown' : 'no';
  }
  if (SEARCHERS.has(name)) {
    if (tool === 'Read' && purpose === 'restrain') return searchFits(content, path, base);
    return tool === name || tool === 'Read' ? 'unknown' : 'no';
  }
  if (!namesTool(rule, name)) return 'no';
  if (name === 'WebFetch') return domainFits(content, String(input.url));
  if (name === 'Agent' || name === 'Task') return content === input.subagent_type ? 'yes' : 'no';
  return 'unknown';
}

/** A search that starts at or below what a rule denies; one that starts above it leaves that out. */
function searchFits(content: string, path: string | undefined, base: Base): Fit {
  if (path === undefined) return 'no';
  return fileFits(content.replace(/\/\*\*$/, ''), path, base);
}

/** `*.example.com` stands for every subdomain. */
function domainFits(content: string, url: string): Fit {
  const [, domain] = /^domain:([\w.*-]+)$/.exec(content) ?? [];
  if (domain === undefined || !URL.canParse(url)) return 'unknown';
  if (domain.includes('*') && !/^(\*|\*\.[\w.-]+)$/.test(domain)) return 'unknown';
  return new RegExp(`^${literal(domain)}$`).test(new URL(url).hostname) ? 'yes' : 'no';
}

function literal(pattern: string): string {
  return pattern
    .split('*')
    .map((text) => text.replace(/[\\^$.+?()[\]{}|/]/g, '\\$&'))
    .join('.*');
}
