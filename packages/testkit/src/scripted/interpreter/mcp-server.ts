import type { JsonObject } from '../../json.ts';
import type { Task } from './tasks.ts';

/** An MCP server the host runs in its own process. */
export interface McpServer {
  readonly name: string;
  status: 'pending' | 'connected' | 'failed' | 'disabled';
  tools: readonly McpTool[];
  info: JsonObject;
  nextId: number;
  connecting: Task | undefined;
}

/** A tool such a server offers. */
export interface McpTool {
  readonly name: string;
  readonly annotations: JsonObject;
}

/** A server whose handshake has not begun. */
export function newServer(name: string): McpServer {
  return { name, status: 'pending', tools: [], info: {}, nextId: 0, connecting: undefined };
}
