import { fileURLToPath } from 'node:url';

/** The command of the small MCP server of the tests. */
export const mcpServer: { readonly command: string; readonly args: readonly string[] } = {
  command: process.execPath,
  args: [fileURLToPath(new URL('./mcp-server.mjs', import.meta.url))],
};
