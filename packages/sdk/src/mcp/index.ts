// The entry `coxswain/mcp`. All types of tool.ts are public.

export type {
  ConnectableServer,
  McpTransportLike,
  RawToolContext,
  RawToolHandler,
  RawToolReply,
  SdkMcpServer,
  ToolFailures,
  ToolServerFactory,
} from '../options/sdk-server.ts';
export { tool } from './define-tool.ts';
export type { JsonRpcError, JsonRpcId, JsonRpcNotification, JsonRpcRequest } from './json-rpc.ts';
export type * from './tool.ts';
export { type ToolServer, type ToolServerOptions, toolServer } from './tool-server.ts';
