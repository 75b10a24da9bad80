import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult, ElicitResult, ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import type { ZodRawShape as Zod3Shape } from 'zod/v3';
import type { ZodRawShape as Zod4Shape } from 'zod/v4';
import type { Installed } from './api.ts';

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
export type McpClaudeAIProxyServerConfig = { type: 'claudeai-proxy'; url: string; id: string; timeout?: number };

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

/** The fields of a tool's input, as for `z.object()`; zod 3 or 4. */
export type AnyZodRawShape = Installed<Zod3Shape, OwnShape> | Installed<Zod4Shape, OwnShape>;
type OwnShape = Record<string, { readonly _output: unknown }>;

/** The input of a handler: optional fields may be missing. */
export type InferShape<T extends AnyZodRawShape> = {
  [K in keyof T]: T[K] extends { _output: infer O } ? O : never;
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
  // The schemas of the tools differ, and each handler accepts only the input of its own.
  // biome-ignore lint/suspicious/noExplicitAny: no other type accepts the handlers of all schemas.
  tools?: SdkMcpToolDefinition<any>[];
  alwaysLoad?: boolean;
  timeout?: number;
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
