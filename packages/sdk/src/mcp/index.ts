// The public surface of `coxswain/mcp`: each name is a promise.

export type {
  ConnectableServer,
  RawToolContext,
  RawToolHandler,
  RawToolReply,
  SdkMcpServer,
  ToolServerFactory,
} from '../options/sdk-server.ts';
export { tool } from './define-tool.ts';
export type { JsonRpcNotification, JsonRpcRequest } from './json-rpc.ts';
export type { Tool, ToolAnnotations, ToolContent, ToolContext, ToolHandler, ToolResult, ToolReturn } from './tool.ts';
export { type ToolServer, type ToolServerOptions, toolServer } from './tool-server.ts';
