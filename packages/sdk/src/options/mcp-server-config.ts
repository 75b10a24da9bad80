/** An MCP server that the CLI starts or calls. */
export type McpServerConfig = McpStdioServer | McpRemoteServer;

/** An MCP server that only a subagent uses: the CLI starts it with the subagent, so that no start can require it. */
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
   * Whether the start fails when the server cannot be used, instead of a warning. Default: whether `allowedTools` or
   * `permissionPromptTool` names the server.
   */
  readonly required?: boolean | undefined;
}

/** An MCP server that the CLI calls over HTTP. */
export interface McpRemoteServer {
  readonly type: 'http' | 'sse';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** How many milliseconds a tool call may take. */
  readonly timeout?: number | undefined;
  /** As for a server that the CLI starts. */
  readonly required?: boolean | undefined;
}
