import type { Report } from '../errors/options.ts';
import { at } from './checks.ts';

/** The CLI's name for a server's tool, with invalid characters replaced. */
export function toolNameOf(server: string, tool: string): string {
  return `${toolsOf(server)}${inNames(tool)}`;
}

/** Whether a tool, by the CLI's name for it, belongs to a server. */
export function isToolOf(server: string, toolName: string): boolean {
  return toolName.startsWith(toolsOf(server));
}

/** The rule for `allowedTools` that allows all tools of a server. */
export function ruleForServer(server: string): string {
  const tools = toolsOf(server);
  // The CLI reads `mcp__a__b` as the tool `b` of the server `a`, so such a name needs the form with `*`.
  return /__|_$/.test(tools.slice(START.length, -2)) ? `${tools}*` : tools.slice(0, -2);
}

/** Whether a rule names a server or one of its tools. */
export function namesServer(rule: string, server: string): boolean {
  return `${rule}__`.startsWith(toolsOf(server));
}

/** Whether the rule for all tools of a server also allows another server's tools, at least in some releases. */
export function opensServer(allowed: string, other: string): boolean {
  return toolsOf(other).startsWith(toolsOf(allowed));
}

/** Whether a rule for another server also allows tools of this one: releases up to 2.1.290 compare only the start of names. */
export function straysInto(rule: string, server: string): boolean {
  const start = rule.endsWith('*') ? rule.slice(0, -1) : `${rule}__`;
  const tools = toolsOf(server);
  return /^mcp__.+__/s.test(start) && tools !== start && tools.startsWith(start);
}

/** Reports servers whose tools the CLI does not distinguish, and rules that also allow another server. */
export function checkServerNames(servers: readonly NamedServer[], rules: readonly string[], report: Report): void {
  const names = servers.map(({ name }) => name);
  for (const [index, server] of servers.entries()) {
    const { name, path } = server;
    const other = servers.slice(0, index).find((each) => collide(each, server))?.name;
    if (other === undefined) continue;
    const message = `cannot be distinguished from ${other}: the CLI calls their tools ${toolsOf(name)}… and ${toolsOf(other)}…, and a rule for one also allows the other. Rename one of them.`;
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
 * Reports rules that deny nothing: up to 2.1.290 the CLI reads `mcp__a__b` as the tool `b` of the server `a`, even if there
 * is a server `a__b`.
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

/** A server and the path of its name in the options. */
export interface NamedServer {
  readonly name: string;
  readonly path: string;
  readonly inProcess: boolean;
}

/** Two agents may define a server of the same name. A server in this process needs its own name: its tools are allowed. */
function collide(one: NamedServer, other: NamedServer): boolean {
  if (one.name === other.name) return one.inProcess || other.inProcess;
  return opensServer(one.name, other.name) || opensServer(other.name, one.name);
}

const START = 'mcp__';

/** The prefix of the names of a server's tools. */
function toolsOf(server: string): string {
  return `${START}${inNames(server)}__`;
}

/** Replaces one character for each UTF-16 unit, as all measured releases do (2.1.197 to 2.1.325). */
function inNames(name: string): string {
  const allowed = name.replace(/[^a-zA-Z0-9_-]/g, '_');
  return name.startsWith('claude.ai ') ? allowed.replace(/_+/g, '_').replace(/^_|_$/g, '') : allowed;
}
