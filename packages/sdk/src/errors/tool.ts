import { CoxswainError } from './base.ts';

/** An MCP server object is already connected: one object serves one session at a time. */
export class ToolServerBusyError extends CoxswainError {
  declare readonly code: 'tool-server-busy';
  declare readonly server: string;

  constructor(server: string) {
    super(
      'ToolServerBusyError',
      `The MCP server ${JSON.stringify(server)} is already connected elsewhere, and one server object serves one session at a time. ` +
        'Pass { create: () => … } to create one for each session, or close the other session first.',
      { server },
    );
  }
}

/** An MCP server in this process could not be created or connected; `cause` is what it threw. */
export class ToolServerStartError extends CoxswainError {
  declare readonly code: 'tool-server-start';
  declare readonly server: string;

  constructor(server: string, reason: string, cause?: unknown) {
    super(
      'ToolServerStartError',
      `The MCP server ${JSON.stringify(server)} could not be started: ${reason}. Fix its create() or connect(), or leave it out of mcpServers.`,
      { server, cause },
    );
  }
}

/** `toolServer()` needs a library that is not installed, or cannot be loaded. */
export class McpLibraryMissingError extends CoxswainError {
  declare readonly code: 'mcp-library-missing';
  /** The command that installs it. */
  declare readonly install: string;

  constructor({ library, range, cause }: { library: string; range: string; cause: unknown }) {
    const install = `npm install ${library}@${range}`;
    super(
      'McpLibraryMissingError',
      `toolServer() from coxswain/mcp needs ${library}, which could not be loaded. Install it: ${install}`,
      { install, cause },
    );
  }
}
