// The public surface of `coxswain/mcp`. A line added here is a promise: named exports only.

export type {
  ConnectableServer,
  McpTransportLike,
  RawToolContext,
  RawToolHandler,
  RawToolReply,
  SdkMcpServer,
  ToolServerFactory,
} from '../options/sdk-server.ts';
export type { EmbeddedResource, ToolContent, ToolResult, ToolReturn } from './content.ts';
export type { JsonRpcError, JsonRpcId, JsonRpcNotification, JsonRpcRequest } from './json-rpc.ts';
export {
  type Tool,
  type ToolAnnotations,
  type ToolContext,
  type ToolExtras,
  type ToolHandler,
  type ToolSchema,
  tool,
} from './tool.ts';
export { type ToolServer, type ToolServerOptions, toolServer } from './tool-server.ts';
