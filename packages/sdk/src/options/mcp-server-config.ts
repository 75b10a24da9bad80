/** An MCP server that the CLI starts or connects to. */
export type McpServerConfig = McpStdioServer | McpRemoteServer;

/** An MCP server that only a subagent uses: the CLI starts it with the subagent, so a session cannot require it. */
export type AgentMcpServer = Omit<McpStdioServer, 'required'> | Omit<McpRemoteServer, 'required'>;

/** An MCP server that the CLI starts as a process. */
export interface McpStdioServer {
  readonly type?: 'stdio' | undefined;
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** How many milliseconds a tool call may take. */
  readonly timeout?: number | undefined;
  /**
   * Whether the start fails, instead of a warning, if the server is unavailable. Default: true if `allowedTools` or
   * `permissionPromptTool` names the server.
   */
  readonly required?: boolean | undefined;
}

/** An MCP server that the CLI connects to over HTTP. */
export interface McpRemoteServer {
  readonly type: 'http' | 'sse';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** How many milliseconds a tool call may take. */
  readonly timeout?: number | undefined;
  /** See {@link McpStdioServer.required}. */
  readonly required?: boolean | undefined;
}
