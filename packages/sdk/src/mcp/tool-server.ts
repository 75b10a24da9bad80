import { reasonOf } from '../errors/base.ts';
import { OptionsError } from '../errors/options.ts';
import { McpLibraryMissingError } from '../errors/tool.ts';
import type { ConnectableServer, ToolServerFactory } from '../options/sdk-server.ts';
import { errorResult, type ToolResult, toolResult } from './content.ts';
import { checkOf, type Tool, type ToolContext, toolUseIdOf } from './tool.ts';

/** The tools of a server, and how the server presents itself. */
export interface ToolServerOptions {
  /** The name the server reports; the CLI calls it by its key in `mcpServers`. */
  readonly name: string;
  readonly version?: string | undefined;
  /** Tells the model how to use the tools together. */
  readonly instructions?: string | undefined;
  readonly tools: readonly Tool[];
  /** `false` leaves the tools to rules and `canUseTool`; otherwise they are allowed. */
  readonly autoAllow?: boolean | undefined;
}

/** A tool server for `mcpServers`; any number of sessions can use it. */
export interface ToolServer extends ToolServerFactory {
  readonly name: string;
  readonly toolNames: readonly string[];
  readonly autoAllow: boolean;
  create(): Promise<ConnectableServer>;
}

/**
 * Creates an MCP server for tools. It uses the library `@modelcontextprotocol/server`, which is loaded when a session starts.
 * @throws OptionsError when two tools have the same name.
 */
export function toolServer(options: ToolServerOptions): ToolServer {
  const tools = new Map(options.tools.map((tool) => [tool.name, tool]));
  const toolNames = options.tools.map(({ name }) => name);
  const twice = toolNames.filter((name, index) => toolNames.indexOf(name) !== index);
  if (twice.length > 0) {
    const path = `toolServer(${JSON.stringify(options.name)}).tools`;
    throw new OptionsError(twice.map((name) => ({ path, message: `has two tools with the name ${name}.` })));
  }
  return {
    name: options.name,
    toolNames,
    autoAllow: options.autoAllow ?? true,
    create: async () => build(options, tools, await loadMcpLibrary()),
  };
}

type McpLibrary = typeof import('@modelcontextprotocol/server');
type ListedTool = import('@modelcontextprotocol/server').Tool;
type CallToolResult = import('@modelcontextprotocol/server').CallToolResult;

/** Loads the MCP library, an optional peer that takes longer to load than all of Coxswain. @throws McpLibraryMissingError */
async function loadMcpLibrary(): Promise<McpLibrary> {
  try {
    return await import('@modelcontextprotocol/server');
  } catch (cause) {
    throw new McpLibraryMissingError({ library: '@modelcontextprotocol/server', range: '2', cause });
  }
}

function build(options: ToolServerOptions, tools: ReadonlyMap<string, Tool>, library: McpLibrary): ConnectableServer {
  const { name, version = '1.0.0', instructions } = options;
  const server = new library.Server(
    { name, version },
    { capabilities: { tools: {} }, ...(instructions === undefined ? {} : { instructions }) },
  );
  const list = Array.from(tools.values(), describe);
  const checks = new Map(Array.from(tools.values(), (tool) => [tool.name, inputCheck(tool, library)]));

  server.setRequestHandler('tools/list', () => ({ tools: list }));

  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = tools.get(params.name);
    const check = checks.get(params.name);
    if (!tool || !check) {
      throw new library.ProtocolError(library.ProtocolErrorCode.InvalidParams, `There is no tool ${params.name}.`);
    }
    const meta = { ...mcpReq._meta };
    const context = { signal: mcpReq.signal, toolUseId: toolUseIdOf(meta), meta };
    // The library validates the result; its type is only more precise about the content.
    return (await call(tool, check, params.arguments ?? {}, context)) as CallToolResult;
  });

  return server;
}

async function call(tool: Tool, check: Tool['check'], input: unknown, context: ToolContext): Promise<ToolResult> {
  try {
    const checked = await check(input);
    if ('problem' in checked) return errorResult(`Invalid input for ${tool.name}: ${checked.problem}`);
    return toolResult(await tool.run(checked.value, context));
  } catch (error) {
    return errorResult(reasonOf(error) || 'The tool failed without a message.');
  }
}

/** The library validates a JSON Schema alone. */
function inputCheck(tool: Tool, library: McpLibrary): Tool['check'] {
  if (tool.checksInput) return (input) => tool.check(input);
  return checkOf({ schema: library.fromJsonSchema(tool.inputSchema), jsonSchema: tool.inputSchema });
}

function describe({ name, description, inputSchema, title, annotations, meta }: Tool): ListedTool {
  // `tool()` has checked that the schema is plain JSON that describes an object.
  return { name, description, inputSchema, title, annotations, _meta: meta } as ListedTool;
}
