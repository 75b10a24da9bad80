import { fileURLToPath } from 'node:url';

/** How the small MCP server of the tests is started. */
export const mcpServer: { readonly command: string; readonly args: readonly string[] } = {
  command: process.execPath,
  args: [fileURLToPath(new URL('./mcp-server.mjs', import.meta.url))],
};
