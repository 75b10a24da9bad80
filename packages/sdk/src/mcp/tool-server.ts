import { reasonOf } from '../errors/base.ts';
import { checking, OptionsError } from '../errors/options.ts';
import { McpLibraryMissingError } from '../errors/tool.ts';
import { flag, having, kindOf, list, shape, text } from '../options/checks.ts';
import type { ConnectableServer, ToolFailures, ToolServerFactory } from '../options/sdk-server.ts';
import { isJsonObject } from '../wire/kinds.ts';
import { checkOf, toolUseIdOf } from './define-tool.ts';
import { TOOL_FAILED } from './json-rpc.ts';
import type { Tool, ToolContext, ToolResult } from './tool.ts';

/** The tools and the description of a server. */
export interface ToolServerOptions {
  /** The name that the server reports. The CLI uses its key in `mcpServers` instead. */
  readonly name: string;
  readonly version?: string | undefined;
  /** Instructions for the model on using the tools together. */
  readonly instructions?: string | undefined;
  readonly tools: readonly Tool[];
  /** `false` leaves the decision to rules and `canUseTool`; by default all tools of the server are allowed. */
  readonly autoAllow?: boolean | undefined;
  /** `true` sends the message of an exception to the model. By default only the warning `tool-failed` contains it. */
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
 * @throws OptionsError for unknown options, for tools that `tool()` did not create, and for two tools with the same name.
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

/** Loads the MCP library, an optional peer dependency that takes longer to load than all of Coxswain. @throws McpLibraryMissingError */
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
    // The library validates the result; its type differs only in the precision of the content.
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
  // A plain JSON Schema is validated by the library.
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

/** Builds the complete result from a handler's return value. @throws TypeError for an invalid value */
function toolResult(value: unknown): ToolResult {
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };
  // The MCP library validates the blocks.
  if (Array.isArray(value)) return { content: value };
  if (isJsonObject(value) && Array.isArray(value.content)) return { ...value, content: value.content };
  throw new TypeError(`The tool returned ${kindOf(value)}; it must return a string, content blocks or { content }.`);
}

/** A result that reports a failure to the model. */
function errorResult(message: string): ToolResult {
  return { content: [{ type: 'text', text: message }], isError: true };
}

function describe({ name, description, inputSchema, title, annotations, meta }: Tool): ListedTool {
  // `tool()` has checked that the schema is plain JSON and describes an object.
  return { name, description, inputSchema, title, annotations, _meta: meta } as ListedTool;
}
