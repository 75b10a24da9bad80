import { createRequire } from 'node:module';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type {
  AnyZodRawShape,
  CallToolResult,
  CreateSdkMcpServerOptions,
  InferShape,
  McpSdkServerConfigWithInstance,
  SdkMcpToolDefinition,
  ToolExtras,
} from '../declarations/mcp.ts';

/** Defines a tool. Its schema is a raw shape of zod 3 or 4. */
export function tool<Schema extends AnyZodRawShape>(
  name: string,
  description: string,
  inputSchema: Schema,
  handler: (args: InferShape<Schema>, extra: unknown) => Promise<CallToolResult>,
  extras: ToolExtras = {},
): SdkMcpToolDefinition<Schema> {
  const { annotations, searchHint, alwaysLoad } = extras;
  const meta = {
    ...(searchHint === undefined ? {} : { 'anthropic/searchHint': searchHint }),
    ...(alwaysLoad ? { 'anthropic/alwaysLoad': true } : {}),
  };
  return {
    name,
    description,
    inputSchema,
    handler,
    ...(annotations ? { annotations } : {}),
    ...(Object.keys(meta).length > 0 ? { _meta: meta } : {}),
  };
}

/** An in-process MCP server of the MCP SDK 1, which is loaded with the first one. */
export function createSdkMcpServer(options: CreateSdkMcpServerOptions): McpSdkServerConfigWithInstance {
  const { name, version = '1.0.0', instructions, tools = [], alwaysLoad, timeout } = options;
  const Server = mcpServerClass();
  const instance = new Server(
    { name, version },
    { capabilities: { tools: {} }, ...(instructions ? { instructions } : {}) },
  );
  for (const { name: toolName, description, inputSchema, annotations, _meta, handler } of tools) {
    const meta = alwaysLoad ? { ..._meta, 'anthropic/alwaysLoad': true } : _meta;
    const config = {
      description,
      inputSchema,
      ...(annotations ? { annotations } : {}),
      ...(meta ? { _meta: meta } : {}),
    };
    // The library types a handler by its schema, which is generic here.
    (instance.registerTool as (name: string, config: object, run: unknown) => unknown)(toolName, config, handler);
  }
  return { type: 'sdk', name, instance, ...(timeout === undefined ? {} : { timeout }) };
}

let loaded: typeof McpServer | undefined;

/** Loaded on demand: it takes longer than everything else together. */
function mcpServerClass(): typeof McpServer {
  loaded ??= createRequire(import.meta.url)('@modelcontextprotocol/sdk/server/mcp.js').McpServer as typeof McpServer;
  return loaded;
}
