import { createRequire } from 'node:module';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CreateSdkMcpServerOptions, McpSdkServerConfigWithInstance } from '../declarations/mcp.ts';

type Options = CreateSdkMcpServerOptions;
type Tools = NonNullable<Options['tools']>;

/**
 * An in-process MCP server of the MCP SDK 1. It is created when it is first used, which is after the start of the CLI: loading the
 * library takes longer than everything else together.
 */
export function createSdkMcpServer(options: Options): McpSdkServerConfigWithInstance {
  const { name, timeout } = options;
  const given = { ...options, tools: [...(options.tools ?? [])] };
  let created: McpServer | undefined;
  const server: McpSdkServerConfigWithInstance = {
    type: 'sdk',
    name,
    get instance() {
      created ??= instanceOf(given);
      return created;
    },
    set instance(replaced) {
      created = replaced;
    },
    ...(timeout === undefined ? {} : { timeout }),
  };
  // The library throws for these, at this call.
  if (!areSound(given.tools)) void server.instance;
  return server;
}

function instanceOf({ name, version = '1.0.0', instructions, tools = [], alwaysLoad }: Options): McpServer {
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
  return instance;
}

/** True if the names differ and every schema is a raw shape of zod 3 or 4. */
function areSound(tools: Tools): boolean {
  const names = new Set(tools.map(({ name }) => name));
  return (
    names.size === tools.length &&
    tools.every(({ name, inputSchema }) => typeof name === 'string' && isShape(inputSchema))
  );
}

function isShape(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  return Object.values(schema).every(
    (value) =>
      typeof value === 'object' && value !== null && ('_zod' in value || ('_def' in value && 'parse' in value)),
  );
}

let loaded: typeof McpServer | undefined;

function mcpServerClass(): typeof McpServer {
  // The file exports only this class.
  loaded ??= createRequire(import.meta.url)('#mcp-server').McpServer as typeof McpServer;
  return loaded;
}
