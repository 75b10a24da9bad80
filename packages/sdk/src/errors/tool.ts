import { CoxswainError } from './base.ts';

/** An MCP server object is already connected: one object serves one session at a time. */
export class ToolServerBusyError extends CoxswainError {
  declare readonly code: 'tool-server-busy';
  readonly server: string;

  constructor(server: string) {
    super(
      'ToolServerBusyError',
      `The MCP server ${JSON.stringify(server)} is already connected elsewhere, and one server object serves one session at a time. ` +
        'Pass { create: () => … } to make one for each session, or stop the other session first.',
    );
    this.server = server;
  }
}

/** An MCP server in this process could not be made or connected; `cause` is what it threw. */
export class ToolServerStartError extends CoxswainError {
  declare readonly code: 'tool-server-start';
  readonly server: string;

  constructor(server: string, reason: string, cause?: unknown) {
    super(
      'ToolServerStartError',
      `The MCP server ${JSON.stringify(server)} could not be started: ${reason}. Mend its create() or connect(), or leave it out of mcpServers.`,
      cause === undefined ? undefined : { cause },
    );
    this.server = server;
  }
}

/** `toolServer()` needs a library that is not installed, or cannot be loaded. */
export class McpLibraryMissingError extends CoxswainError {
  declare readonly code: 'mcp-library-missing';
  /** The command that installs it. */
  readonly install: string;

  constructor(fields: { library: string; range: string; cause: unknown }) {
    const install = `npm install ${fields.library}@${fields.range}`;
    super(
      'McpLibraryMissingError',
      `toolServer() from coxswain/mcp runs on ${fields.library}, which could not be loaded. Install it: ${install}`,
      { cause: fields.cause },
    );
    this.install = install;
  }
}
