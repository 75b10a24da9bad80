import type { Report } from '../errors/options.ts';
import { at } from './checks.ts';

/** The CLI's name for a tool of a server; characters that such a name cannot contain are replaced. */
export function toolNameOf(server: string, tool: string): string {
  return `${toolsOf(server)}${inNames(tool)}`;
}

/** The rule for `allowedTools` that allows all tools of a server. */
export function ruleForServer(server: string): string {
  const tools = toolsOf(server);
  // The CLI reads `mcp__a__b` as the tool `b` of the server `a`, so such names need the other form.
  return /__|_$/.test(tools.slice(START.length, -2)) ? `${tools}*` : tools.slice(0, -2);
}

/** Whether a rule is about a server or one of its tools. */
export function namesServer(rule: string, server: string): boolean {
  return `${rule}__`.startsWith(toolsOf(server));
}

/** Whether the rule for all tools of a server also allows the tools of another one, in some releases at least. */
export function opensServer(allowed: string, other: string): boolean {
  return toolsOf(other).startsWith(toolsOf(allowed));
}

/** Whether a rule for another server also allows tools of this one: all up to 2.1.290 compare only how the names begin. */
export function straysInto(rule: string, server: string): boolean {
  const start = rule.endsWith('*') ? rule.slice(0, -1) : `${rule}__`;
  const tools = toolsOf(server);
  return /^mcp__.+__/s.test(start) && tools !== start && tools.startsWith(start);
}

/** Reports servers whose tools the CLI does not keep apart, and rules that also allow another server. */
export function checkServerNames(servers: readonly NamedServer[], rules: readonly string[], report: Report): void {
  const names = servers.map(({ name }) => name);
  for (const [index, server] of servers.entries()) {
    const { name, path } = server;
    const other = servers.slice(0, index).find((each) => collide(each, server))?.name;
    if (other === undefined) continue;
    const message = `cannot be told apart from ${other}: the CLI calls their tools ${toolsOf(name)}… and ${toolsOf(other)}…, and a rule for one also allows the other. Rename one of them.`;
    report(path, message);
  }
  for (const [index, rule] of rules.entries()) {
    const server = names.find((name) => straysInto(rule, name));
    if (server === undefined) continue;
    const meant = ruleForServer(server);
    const message = `${rule} also allows the tools of ${server} in some releases of the CLI. Rename that server, or write ${meant} if you mean it.`;
    report(at('allowedTools', index), message);
  }
}

/**
 * Reports rules that deny nothing: up to 2.1.290 the CLI reads `mcp__a__b` as the tool `b` of the server `a`, also when there is
 * a server `a__b`.
 */
export function checkDeniedServers(
  servers: readonly NamedServer[],
  rules: readonly unknown[],
  path: string,
  report: Report,
): void {
  for (const [index, rule] of rules.entries()) {
    const server = servers.find(({ name }) => `${rule}__` === toolsOf(name) && rule !== ruleForServer(name));
    if (server === undefined) continue;
    const meant = ruleForServer(server.name);
    report(
      at(path, index),
      `denies nothing in some releases of the CLI: for the server ${server.name} write ${meant}.`,
    );
  }
}

/** A server and where its name was given. */
export interface NamedServer {
  readonly name: string;
  readonly path: string;
  readonly inProcess: boolean;
}

/** Two servers may share a name, as agents with the same one do, unless one of them is in this process: its tools are allowed. */
function collide(one: NamedServer, other: NamedServer): boolean {
  if (one.name === other.name) return one.inProcess || other.inProcess;
  return opensServer(one.name, other.name) || opensServer(other.name, one.name);
}

const START = 'mcp__';

/** How the names of a server's tools begin. */
function toolsOf(server: string): string {
  return `${START}${inNames(server)}__`;
}

/** As all measured releases do it (2.1.197 to 2.1.325), one character for each UTF-16 unit. */
function inNames(name: string): string {
  const allowed = name.replace(/[^a-zA-Z0-9_-]/g, '_');
  return name.startsWith('claude.ai ') ? allowed.replace(/_+/g, '_').replace(/^_|_$/g, '') : allowed;
}
