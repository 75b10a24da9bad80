import { reasonOf } from '../errors/base.ts';
import { checking, OptionsError } from '../errors/options.ts';
import { McpLibraryMissingError } from '../errors/tool.ts';
import { flag, having, kindOf, list, shape, text } from '../options/checks.ts';
import type { ConnectableServer, ToolFailures, ToolServerFactory } from '../options/sdk-server.ts';
import { isJsonObject } from '../wire/kinds.ts';
import { checkOf, toolUseIdOf } from './define-tool.ts';
import { TOOL_FAILED } from './json-rpc.ts';
import type { Tool, ToolContext, ToolResult } from './tool.ts';

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
  /** `true` sends the message of an exception to the model. Otherwise only the warning `tool-failed` has it. */
  readonly exposeErrors?: boolean | undefined;
}

/** A tool server for `mcpServers`; any number of sessions can use it. */
export interface ToolServer extends ToolServerFactory {
  readonly name: string;
  readonly toolNames: readonly string[];
  readonly autoAllow: boolean;
  create(host?: ToolFailures): Promise<ConnectableServer>;
}

/**
 * Creates an MCP server for tools. It uses the library `@modelcontextprotocol/server`, which is loaded when a session starts.
 * @throws OptionsError for unknown options, for what `tool()` did not return, and when two tools have the same name.
 */
export function toolServer(options: ToolServerOptions): ToolServer {
  checking((report) => optionsCheck(options, 'toolServer()', report));
  const tools = [...options.tools];
  const toolNames = tools.map(({ name }) => name);
  const twice = toolNames.filter((name, index) => toolNames.indexOf(name) !== index);
  if (twice.length > 0) {
    const path = `toolServer(${JSON.stringify(options.name)}).tools`;
    throw new OptionsError(twice.map((name) => ({ path, message: `has two tools with the name ${name}.` })));
  }
  return {
    name: options.name,
    toolNames,
    autoAllow: options.autoAllow ?? true,
    create: async (host) => build({ ...options, tools }, await loadMcpLibrary(), host),
  };
}

const optionsCheck = shape(
  {
    name: text(),
    version: text(),
    instructions: text({ empty: true }),
    tools: list(having('what tool() returns', 'check', 'run')),
    autoAllow: flag,
    exposeErrors: flag,
  },
  { needs: ['name', 'tools'] },
);

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

function build(options: ToolServerOptions, library: McpLibrary, host: ToolFailures | undefined): ConnectableServer {
  const { name, version = '1.0.0', instructions, tools } = options;
  const server = new library.Server(
    { name, version },
    { capabilities: { tools: {} }, ...(instructions === undefined ? {} : { instructions }) },
  );
  const list = tools.map(describe);
  const failed = (tool: string, error: unknown): ToolResult => {
    host?.failed(tool, error);
    return errorResult(options.exposeErrors ? reasonOf(error) || 'The tool failed without a message.' : TOOL_FAILED);
  };
  const calls = new Map(tools.map((tool) => [tool.name, callOf(tool, library, failed)]));

  server.setRequestHandler('tools/list', () => ({ tools: list }));

  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const call = calls.get(params.name);
    if (!call) {
      throw new library.ProtocolError(library.ProtocolErrorCode.InvalidParams, `There is no tool ${params.name}.`);
    }
    const meta = { ...mcpReq._meta };
    const context = { signal: mcpReq.signal, toolUseId: toolUseIdOf(meta), meta };
    // The library validates the result; its type is only more precise about the content.
    return (await call(params.arguments ?? {}, context)) as CallToolResult;
  });

  return server;
}

function callOf(
  tool: Tool,
  library: McpLibrary,
  failed: (tool: string, error: unknown) => ToolResult,
): (input: unknown, context: ToolContext) => Promise<ToolResult> {
  const { inputSchema: jsonSchema } = tool;
  // The library validates a JSON Schema alone.
  const checked = tool.checksInput
    ? tool
    : { check: checkOf({ schema: library.fromJsonSchema(jsonSchema), jsonSchema }) };
  return async (input, context) => {
    try {
      const result = await checked.check(input);
      if ('problem' in result) return errorResult(`Invalid input for ${tool.name}: ${result.problem}`);
      return toolResult(await tool.run(result.value, context));
    } catch (error) {
      return failed(tool.name, error);
    }
  };
}

/** The complete result for what a handler returned. @throws TypeError for anything else */
function toolResult(value: unknown): ToolResult {
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };
  // The MCP library validates the blocks.
  if (Array.isArray(value)) return { content: value };
  if (isJsonObject(value) && Array.isArray(value.content)) return { ...value, content: value.content };
  throw new TypeError(`The tool returned ${kindOf(value)}; it must return a string, content blocks or { content }.`);
}

/** A result that tells the model what failed. */
function errorResult(message: string): ToolResult {
  return { content: [{ type: 'text', text: message }], isError: true };
}

function describe({ name, description, inputSchema, title, annotations, meta }: Tool): ListedTool {
  // `tool()` has checked that the schema is plain JSON that describes an object.
  return { name, description, inputSchema, title, annotations, _meta: meta } as ListedTool;
}
