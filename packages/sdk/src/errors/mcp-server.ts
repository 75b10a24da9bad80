import { CoxswainError } from './base.ts';

/** An MCP server that cannot be used. */
export interface UnavailableServer {
  readonly name: string;
  /** Status reported by the CLI: `failed`, `needs-auth`, `pending`, `disabled`; `missing` if the CLI does not list the server. */
  readonly status: string;
  /** The reason reported by the CLI, if any. */
  readonly reason: string | null;
  /** The option that requires it: `mcpServers` (`required: true`), `allowedTools`, `permissionPromptTool`. */
  readonly requiredBy: string | null;
}

/** An MCP server that the options require cannot be used. */
export class McpServerUnavailableError extends CoxswainError<'mcp-server-unavailable'> {
  declare readonly servers: readonly UnavailableServer[];

  constructor(servers: readonly UnavailableServer[]) {
    const list = servers.map((server) => `${describeServer(server)}, and ${server.requiredBy} requires it`).join('; ');
    const message = `${list}. Correct the server, or set required: false for it in mcpServers.`;
    super('McpServerUnavailableError', message, { servers });
  }
}

/** Describes a server as a sentence without its full stop. */
export function describeServer({ name, status, reason }: UnavailableServer): string {
  const how = HOW[status] ?? `cannot be used (${status})`;
  return `The MCP server ${JSON.stringify(name)} ${how}${reason ? `: ${reason.replace(/\.$/, '')}` : ''}`;
}

const HOW: Readonly<Record<string, string | undefined>> = {
  failed: 'could not be started or reached',
  'needs-auth': 'needs a login',
  pending: 'was not ready in time (limits.serverStartMs)',
  disabled: 'is disabled',
  missing: 'is not listed by the CLI',
};

/** The CLI has loaded an MCP server whose tools a rule for another server also allows. */
export class McpServerCollisionError extends CoxswainError<'mcp-server-collision'> {
  declare readonly server: string;
  /** The rule, or the path of the in-process server whose tools are allowed. */
  declare readonly allowedBy: string;

  constructor(fields: { readonly server: string; readonly allowedBy: string }) {
    const message =
      `The CLI has loaded the MCP server ${JSON.stringify(fields.server)} from its settings, and ${fields.allowedBy} also allows its tools, because of its name. ` +
      'Rename one of them, or pass strictMcpConfig: true.';
    super('McpServerCollisionError', message, fields);
  }
}
