import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import { createSdkMcpServer, type McpSdkServerConfigWithInstance, tool } from '../src/sdk.ts';

async function clientOf({ instance }: McpSdkServerConfigWithInstance): Promise<Client> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1' });
  await Promise.all([instance.connect(theirs), client.connect(ours)]);
  onTestFinished(() => client.close());
  return client;
}

describe('tool()', () => {
  it('[U-3] defines a tool with the fields of the official SDK', () => {
    const handler = async (): Promise<{ content: [] }> => ({ content: [] });
    const shape = { strokes: z.number() };
    expect(tool('row', 'Rows.', shape, handler)).toEqual({
      name: 'row',
      description: 'Rows.',
      inputSchema: shape,
      handler,
    });
    const more = tool('row', 'Rows.', shape, handler, {
      annotations: { readOnlyHint: true },
      searchHint: 'boat',
      alwaysLoad: true,
    });
    expect(more).toMatchObject({
      annotations: { readOnlyHint: true },
      _meta: { 'anthropic/searchHint': 'boat', 'anthropic/alwaysLoad': true },
    });
  });
});

describe('createSdkMcpServer()', () => {
  it.each([
    ['zod 4', { boat: z.string(), strokes: z.number().default(20) }],
    ['zod 3', { boat: z3.string(), strokes: z3.number().default(20) }],
  ])('[U-3] serves tools whose input is a raw shape of %s', async (_name, shape) => {
    const row = tool('row', 'Rows.', shape, async (args, extra) => ({
      content: [{ type: 'text', text: JSON.stringify([args, typeof extra]) }],
    }));
    const client = await clientOf(
      createSdkMcpServer({ name: 'boats', version: '2.0.0', instructions: 'Row.', tools: [row] }),
    );
    expect(client.getServerVersion()).toMatchObject({ name: 'boats', version: '2.0.0' });
    expect(client.getInstructions()).toBe('Row.');
    const { tools } = await client.listTools();
    expect(tools).toMatchObject([{ name: 'row', description: 'Rows.', inputSchema: { required: ['boat'] } }]);
    const done = await client.callTool({ name: 'row', arguments: { boat: 'Ariel' } });
    expect(done.content).toEqual([{ type: 'text', text: '[{"boat":"Ariel","strokes":20},"object"]' }]);
    expect(await client.callTool({ name: 'row', arguments: {} })).toMatchObject({ isError: true });
  });

  it('[U-3] is a configuration with an instance; alwaysLoad marks every tool', async () => {
    const run = async (): Promise<{ content: [] }> => ({ content: [] });
    const server = createSdkMcpServer({
      name: 'boats',
      alwaysLoad: true,
      timeout: 5,
      tools: [tool('row', 'Rows.', {}, run)],
    });
    expect(server).toMatchObject({ type: 'sdk', name: 'boats', timeout: 5 });
    const { tools } = await (await clientOf(server)).listTools();
    expect(tools[0]?._meta).toEqual({ 'anthropic/alwaysLoad': true });
    expect((await (await clientOf(createSdkMcpServer({ name: 'empty' }))).listTools()).tools).toEqual([]);
  });

  it('[U-1] loads the MCP library with its first use, after the start of the CLI', () => {
    const built = fileURLToPath(new URL('../sdk.mjs', import.meta.url));
    const program = `
      import Module from 'node:module';
      const isLoaded = () => Object.keys(Module._cache).some((path) => path.endsWith('mcp-server.cjs'));
      const { createSdkMcpServer, query, tool } = await import(${JSON.stringify(built)});
      const server = createSdkMcpServer({ name: 'boats', tools: [tool('row', 'Rows.', {}, async () => ({ content: [] }))] });
      const before = isLoaded();
      let atStart;
      const spawnClaudeCodeProcess = () => {
        atStart = isLoaded();
        throw new Error('not started');
      };
      const options = { pathToClaudeCodeExecutable: '/bin/true', spawnClaudeCodeProcess, mcpServers: { server } };
      try { query({ prompt: 'Hi.', options }); } catch {}
      void server.instance;
      console.log(JSON.stringify([before, atStart, isLoaded()]));
    `;
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
    expect(JSON.parse(printed)).toEqual([false, false, true]);
  });

  it('[U-10] throws at the call for tools that the library refuses', () => {
    const run = async (): Promise<{ content: [] }> => ({ content: [] });
    const row = tool('row', 'Rows.', {}, run);
    expect(() => createSdkMcpServer({ name: 'boats', tools: [row, row] })).toThrow('Tool row is already registered');
    // Programs in JavaScript pass such shapes.
    const wrong = tool('row', 'Rows.', { boat: 'string' as unknown as z.ZodString }, run);
    expect(() => createSdkMcpServer({ name: 'boats', tools: [wrong] })).toThrow('must be a Zod schema or raw shape');
  });

  it('[U-4] has one instance, which can be replaced', () => {
    const server = createSdkMcpServer({ name: 'boats' });
    const { instance } = server;
    expect(server.instance).toBe(instance);
    const other = createSdkMcpServer({ name: 'others' }).instance;
    server.instance = other;
    expect({ ...server }.instance).toBe(other);
  });
});
