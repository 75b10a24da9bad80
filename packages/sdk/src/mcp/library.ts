import { McpLibraryMissingError } from '../errors/tool.ts';

/** The part of the MCP library that is used. */
export type McpLibrary = Pick<
  typeof import('@modelcontextprotocol/server'),
  'Server' | 'ProtocolError' | 'ProtocolErrorCode' | 'fromJsonSchema'
>;

/** A tool as the library's types have it. */
export type ListedTool = import('@modelcontextprotocol/server').Tool;

/** A result as the library's types have it. */
export type CallToolResult = import('@modelcontextprotocol/server').CallToolResult;

/** Loads the MCP library, which takes longer than all of Coxswain and is an optional peer. @throws McpLibraryMissingError */
export async function loadMcpLibrary(): Promise<McpLibrary> {
  try {
    return await import('@modelcontextprotocol/server');
  } catch (cause) {
    throw new McpLibraryMissingError({ library: '@modelcontextprotocol/server', range: '2', cause });
  }
}
