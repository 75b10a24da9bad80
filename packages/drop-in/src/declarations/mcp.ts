import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult, ElicitResult, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';

export type { CallToolResult, ElicitResult, ToolAnnotations };

export type McpServerToolPolicy = {
  name: string;
  permission_policy?: 'always_allow' | 'always_ask' | 'always_deny';
  org_max_permission?: 'allow' | 'ask' | 'blocked';
};

export type McpStdioServerConfig = {
  type?: 'stdio';
  command: string;
  args?: string[];
  env?: Record<string, string>;
  timeout?: number;
  alwaysLoad?: boolean;
};

type Remote<Type extends string> = {
  type: Type;
  url: string;
  headers?: Record<string, string>;
  tools?: McpServerToolPolicy[];
  timeout?: number;
  alwaysLoad?: boolean;
};

export type McpSSEServerConfig = Remote<'sse'>;
export type McpHttpServerConfig = Remote<'http'>;
export type McpClaudeAIProxyServerConfig = { type: 'claudeai-proxy'; url: string; id: string };

export type McpSdkServerConfig = { type: 'sdk'; name: string; timeout?: number; tools?: McpServerToolPolicy[] };

/** An in-process server of the MCP SDK 1. */
export type McpSdkServerConfigWithInstance = McpSdkServerConfig & { instance: McpServer };

export type McpServerConfig =
  | McpStdioServerConfig
  | McpSSEServerConfig
  | McpHttpServerConfig
  | McpSdkServerConfigWithInstance;

export type McpServerConfigForProcessTransport =
  | McpStdioServerConfig
  | McpSSEServerConfig
  | McpHttpServerConfig
  | McpSdkServerConfig;

export type McpServerStatusConfig = McpServerConfigForProcessTransport | McpClaudeAIProxyServerConfig;

/** A field of a raw shape: a schema of zod 3 or 4. */
export type ZodField = { readonly _output: unknown };

/** The fields of a tool's input, as for `z.object()`; zod 3 or 4. */
export type AnyZodRawShape = Record<string, ZodField>;

/** The input of a handler: optional fields may be missing. */
export type InferShape<Shape extends AnyZodRawShape> = {
  [K in keyof Shape]: Shape[K] extends { _output: infer Output } ? Output : never;
} & {};

export type SdkMcpToolDefinition<Schema extends AnyZodRawShape = AnyZodRawShape> = {
  name: string;
  description: string;
  inputSchema: Schema;
  annotations?: ToolAnnotations;
  _meta?: Record<string, unknown>;
  handler: (args: InferShape<Schema>, extra: unknown) => Promise<CallToolResult>;
};

export type ToolExtras = { annotations?: ToolAnnotations; searchHint?: string; alwaysLoad?: boolean };

export type CreateSdkMcpServerOptions = {
  name: string;
  version?: string;
  instructions?: string;
  tools?: readonly AnyTool[];
  alwaysLoad?: boolean;
  timeout?: number;
};

/** A definition of any schema: a handler receives only input that its own schema has validated. */
type AnyTool = Omit<SdkMcpToolDefinition, 'inputSchema' | 'handler'> & {
  inputSchema: AnyZodRawShape;
  handler: (args: never, extra: unknown) => Promise<CallToolResult>;
};

/** A question of an MCP server to the user. */
export type ElicitationRequest = {
  serverName: string;
  message: string;
  mode?: 'form' | 'url';
  url?: string;
  elicitationId?: string;
  requestedSchema?: Record<string, unknown>;
  title?: string;
  displayName?: string;
  description?: string;
};

export type ElicitationResult = ElicitResult;

export type OnElicitation = (
  request: ElicitationRequest,
  options: { signal: AbortSignal; requestId: string },
) => Promise<ElicitationResult | null>;
