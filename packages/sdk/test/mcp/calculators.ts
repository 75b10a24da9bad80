import { McpServer as McpServerV2 } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { McpServer as McpServerV1 } from '../../../../tools/node_modules/@modelcontextprotocol/sdk/dist/esm/server/mcp.js';
import { tool } from '../../src/mcp/define-tool.ts';
import { toolServer } from '../../src/mcp/tool-server.ts';
import type { SdkMcpServer } from '../../src/options/sdk-server.ts';

/** Callbacks of a calculator's tools. */
export interface Watch {
  /** Called when `slow` runs; the call ends when the promise settles. */
  slow?(signal: AbortSignal): Promise<string>;
}

/** A server with the tools `add`, `boom` and `slow`. */
export type Calculator = (watch?: Watch) => SdkMcpServer;

const numbers = z.object({ a: z.number(), b: z.number() });
const never = (): Promise<string> => new Promise(() => {});
const text = (value: string): { content: { type: 'text'; text: string }[] } => ({
  content: [{ type: 'text', text: value }],
});

function boom(): never {
  throw new Error('no such luck');
}

/** A calculator on MCP SDK 1. */
export function v1Server({ slow = never }: Watch = {}): McpServerV1 {
  const server = new McpServerV1({ name: 'calc', version: '1.0.0' });
  server.registerTool('add', { inputSchema: numbers.shape }, ({ a, b }) => text(String(a + b)));
  server.registerTool('boom', {}, boom);
  server.registerTool('slow', {}, async ({ signal }) => text(await slow(signal)));
  return server;
}

/** A calculator on MCP SDK 2. */
export function v2Server({ slow = never }: Watch = {}): McpServerV2 {
  const server = new McpServerV2({ name: 'calc', version: '1.0.0' });
  server.registerTool('add', { inputSchema: numbers }, ({ a, b }) => text(String(a + b)));
  server.registerTool('boom', {}, boom);
  server.registerTool('slow', {}, async ({ mcpReq }) => text(await slow(mcpReq.signal)));
  return server;
}

/** A calculator built with `toolServer()`. */
export function ownServer({ slow = never }: Watch = {}): ReturnType<typeof toolServer> {
  return toolServer({
    name: 'calc',
    tools: [
      tool('add', 'Adds two numbers', numbers, ({ a, b }) => String(a + b)),
      tool('boom', 'Fails', z.object({}), boom),
      tool('slow', 'Takes its time', z.object({}), (_, { signal }) => slow(signal)),
    ],
  });
}

/** All calculators, by their implementation. */
export const calculators: readonly (readonly [string, Calculator])[] = [
  ['an McpServer of MCP SDK 1', v1Server],
  ['an McpServer of MCP SDK 2', v2Server],
  ['a factory of them', (watch) => ({ create: () => v2Server(watch) })],
  ['toolServer()', ownServer],
];

/** A `slow` that never ends, and the signal of its call. */
export function neverEnding(): { slow: Required<Watch>['slow']; running: Promise<AbortSignal> } {
  let started = (_signal: AbortSignal): void => {};
  const running = new Promise<AbortSignal>((resolve) => {
    started = resolve;
  });
  return {
    running,
    slow(signal) {
      started(signal);
      return never();
    },
  };
}
