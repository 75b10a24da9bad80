import { CoxswainError } from './base.ts';

/** An MCP server object is already connected: one object serves one session at a time. */
export class ToolServerBusyError extends CoxswainError<'tool-server-busy'> {
  declare readonly server: string;

  constructor(server: string) {
    const message =
      `The MCP server ${JSON.stringify(server)} is already connected elsewhere, and one server object serves one session at a time. ` +
      'Pass { create: () => … } to create one for each session, or close the other session first.';
    super('ToolServerBusyError', message, { server });
  }
}

/** An in-process MCP server could not be created or connected; `cause` is the thrown error. */
export class ToolServerStartError extends CoxswainError<'tool-server-start'> {
  declare readonly server: string;

  constructor(server: string, reason: string, cause?: unknown) {
    const message = `The MCP server ${JSON.stringify(server)} could not be started: ${reason}. Fix its create() or connect(), or leave it out of mcpServers.`;
    super('ToolServerStartError', message, { server, cause });
  }
}

/** `toolServer()` needs a library that is not installed, or cannot be loaded. */
export class McpLibraryMissingError extends CoxswainError<'mcp-library-missing'> {
  /** The command that installs it. */
  declare readonly install: string;

  constructor({ library, range, cause }: { library: string; range: string; cause: unknown }) {
    const install = `npm install ${library}@${range}`;
    const message = `toolServer() from coxswain/mcp needs ${library}, which could not be loaded. Install it: ${install}`;
    super('McpLibraryMissingError', message, { install, cause });
  }
}
