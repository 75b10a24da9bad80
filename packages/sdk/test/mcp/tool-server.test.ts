import * as v from 'valibot';
import { afterEach, describe, expect, expectTypeOf, it, vi } from 'vitest';
import { z } from 'zod';
import { isCoxswainError } from '../../src/errors/any-error.ts';
import { OptionsError } from '../../src/errors/options.ts';
import {
  type SdkMcpServer,
  type Tool,
  type ToolContext,
  type ToolHandler,
  type ToolServer,
  tool,
  toolServer,
} from '../../src/mcp/index.ts';
import { type Client, type Hosted, host, type Reply } from './cli-side.ts';

describe('the options of toolServer()', () => {
  const tools = [tool('plain', 'Takes anything', {}, () => 'ok')];

  it.each([
    [{ name: 'x', tools, autoallow: false }, 'toolServer().autoallow: is not a known field. Did you mean autoAllow?'],
    [{ name: 'x', tools, autoAllow: 'no' }, 'toolServer().autoAllow: must be true or false'],
    [{ name: 'x', tools, instruction: 'y' }, 'Did you mean instructions?'],
    [{ tools }, 'toolServer().name: is missing.'],
    [{ name: 'x' }, 'toolServer().tools: is missing.'],
    [{ name: 'x', tools: [{ name: 'y' }] }, 'toolServer().tools[0]: must be what tool() returns'],
    [undefined, 'toolServer(): must be an object'],
  ])('[T-2] must be valid: %j', (options, message) => {
    // The types forbid these values.
    expect(() => toolServer(options as never)).toThrow(message);
  });
});

describe('toolServer()', () => {
  it('[T-2] lists its tools with their schemas and hints', async () => {
    const schema = v.object({ text: v.string() });
    const jsonSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
    const server = toolServer({
      name: 'texts',
      version: '2.3.4',
      instructions: 'Use shout for loud texts.',
      tools: [
        tool('shout', 'Makes it loud', { schema, jsonSchema }, ({ text }) => text.toUpperCase(), {
          title: 'Shout',
          annotations: { readOnlyHint: true, openWorldHint: false },
          meta: { 'anthropic/searchHint': 'loud' },
        }),
        tool('plain', 'Takes anything', {}, () => 'ok'),
      ],
    });
    expect(server).toMatchObject({ name: 'texts', toolNames: ['shout', 'plain'], autoAllow: true });
    await using hosted = host({ texts: server });
    const client = hosted.client('texts');
    expect(await client.handshake()).toMatchObject({
      result: { serverInfo: { name: 'texts', version: '2.3.4' }, instructions: 'Use shout for loud texts.' },
    });
    expect((await client.request('tools/list')).result).toEqual({
      tools: [
        {
          name: 'shout',
          title: 'Shout',
          description: 'Makes it loud',
          inputSchema: jsonSchema,
          annotations: { readOnlyHint: true, openWorldHint: false },
          _meta: { 'anthropic/searchHint': 'loud' },
        },
        { name: 'plain', description: 'Takes anything', inputSchema: { type: 'object' } },
      ],
    });
  });

  it('refuses two tools with the same name', () => {
    const twin = tool('twin', 'One of two', z.object({}), () => 'ok');
    expect(() => toolServer({ name: 'twins', tools: [twin, twin] })).toThrow(OptionsError);
    expect(() => toolServer({ name: 'twins', tools: [twin, twin] })).toThrow(/toolServer\("twins"\).*twin/);
  });

  it('[T-1] has the type of an MCP server', () => {
    expectTypeOf<ToolServer>().toExtend<SdkMcpServer>();
    expectTypeOf<import('@modelcontextprotocol/server').McpServer>().toExtend<SdkMcpServer>();
    expectTypeOf<import('@modelcontextprotocol/server').Server>().toExtend<SdkMcpServer>();
    expectTypeOf<{ command: string }>().not.toExtend<SdkMcpServer>();
  });
});

describe('a handler', () => {
  it('[T-2] receives the parsed input, a signal and the id of the tool use', async () => {
    const schema = z.object({ at: z.string().transform((at) => new Date(at)) });
    const handler = vi.fn<ToolHandler<z.output<typeof schema>>>(() => 'noted');
    await using hosted = host({ calendar: serverOf(tool('note', 'Notes a day', schema, handler)) });
    await ready(hosted, 'calendar').then((client) =>
      client.call('note', { at: '2026-11-15' }, { toolUseId: 'toolu_7' }),
    );
    expect(handler).toHaveBeenCalledExactlyOnceWith(
      { at: new Date('2026-11-15') },
      { signal: expect.any(AbortSignal), toolUseId: 'toolu_7', meta: { 'claudecode/toolUseId': 'toolu_7' } },
    );
  });

  it('receives an empty input if the CLI sends none', async () => {
    const handler = vi.fn((_input: unknown, _context: ToolContext) => 'ok');
    await using hosted = host({ s: serverOf(tool('none', 'Takes nothing', {}, handler)) });
    const client = await ready(hosted, 's');
    await client.request('tools/call', { name: 'none' });
    expect(handler).toHaveBeenCalledExactlyOnceWith({}, expect.objectContaining({ toolUseId: undefined, meta: {} }));
  });

  it.each<[string, ToolHandler<unknown>, object]>([
    ['a text', () => 'five', { content: [{ type: 'text', text: 'five' }] }],
    ['an empty text', () => '', { content: [{ type: 'text', text: '' }] }],
    [
      'pieces',
      async () => [
        { type: 'text', text: 'a chart' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      ],
      {
        content: [
          { type: 'text', text: 'a chart' },
          { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        ],
      },
    ],
    [
      'a result in full',
      () => ({ content: [{ type: 'text', text: 'no' }], structuredContent: { found: 0 }, isError: true }),
      { content: [{ type: 'text', text: 'no' }], structuredContent: { found: 0 }, isError: true },
    ],
  ])('[T-2] may return %s', async (_what, handler, result) => {
    expect(await resultOf(handler)).toEqual(result);
  });

  it.each<[string, () => unknown, string | RegExp]>([
    [
      'throws',
      () => {
        throw new Error('the file is locked');
      },
      'the file is locked',
    ],
    ['rejects', () => Promise.reject(new Error('the file is locked')), 'the file is locked'],
    [
      'throws a text',
      () => {
        throw 'just so';
      },
      'just so',
    ],
    [
      'throws nothing',
      () => {
        throw undefined;
      },
      'undefined',
    ],
    [
      'throws an error without a message',
      () => {
        throw new Error('');
      },
      /failed without a message/,
    ],
    [
      'throws a value that cannot be converted to text',
      () => {
        throw Object.create(null);
      },
      /cannot be shown/,
    ],
    ['returns nothing', () => undefined, /returned undefined; it must return a string/],
    ['returns a number', () => 5, /returned the number 5/],
    ['returns another object', () => ({ text: 'five' }), /returned an object/],
  ])('[T-2] that %s fails the call; with exposeErrors the model receives the reason', async (_what, handler, text) => {
    // An untyped caller could write this.
    const options = { name: 'test', tools: [tool('t', 'T', {}, handler as ToolHandler<unknown>)], exposeErrors: true };
    await using hosted = host({ s: toolServer(options) });
    const client = await ready(hosted, 's');
    expect((await client.call('t')).result).toEqual({
      isError: true,
      content: [{ type: 'text', text: typeof text === 'string' ? text : expect.stringMatching(text) }],
    });
    expect(hosted.warnings).toMatchObject([{ code: 'tool-failed' }]);
  });

  it('[T-2] that throws sends no details to the model; the warning has the message', async () => {
    const handler = (): never => {
      throw new Error('no row in postgres://app:hunter2@db/orders');
    };
    await using hosted = host({ s: serverOf(tool('t', 'T', {}, handler)) });
    const client = await ready(hosted, 's');
    expect((await client.call('t')).result).toEqual({
      isError: true,
      content: [{ type: 'text', text: 'The tool failed. Its program has logged the reason.' }],
    });
    expect(hosted.warnings).toMatchObject([
      {
        code: 'tool-failed',
        message: expect.stringContaining('failed in its tool t: no row in'),
        context: { server: 's' },
      },
    ]);
  });

  it('that returns invalid content blocks causes an error reply', async () => {
    // An untyped caller could write this.
    const handler = (() => [{ type: 'txt', text: 'a' }]) as unknown as ToolHandler<unknown>;
    await using hosted = host({ s: serverOf(tool('odd', 'Odd', {}, handler)) });
    const client = await ready(hosted, 's');
    expect(await client.call('odd')).toMatchObject({ error: { code: -32602 } });
  });
});

describe('an input that does not match the schema', () => {
  const jsonSchema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] } as const;
  it.each<[string, (handler: () => string) => Tool]>([
    ['zod', (handler) => tool('t', 'T', z.object({ a: z.number() }), handler)],
    ['valibot', (handler) => tool('t', 'T', { schema: v.object({ a: v.number() }), jsonSchema }, handler)],
    ['a JSON Schema', (handler) => tool('t', 'T', jsonSchema, handler)],
  ])('[T-2] (%s) never reaches the handler, and the model receives the reason', async (_what, make) => {
    const handler = vi.fn(() => 'ok');
    await using hosted = host({ s: serverOf(make(handler)) });
    const client = await ready(hosted, 's');
    for (const input of [{ a: 'x' }, {}]) {
      expect((await client.call('t', input)).result).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/^Invalid input for t: .*\ba\b/) }],
      });
    }
    expect(handler).not.toHaveBeenCalled();
    expect(await client.call('t', { a: 1 })).toMatchObject({ result: { content: [{ text: 'ok' }] } });
  });

  it('is also reported if the schema throws', async () => {
    const schema = z.object({}).transform(() => {
      throw new Error('cannot convert');
    });
    const pair = { schema, jsonSchema: { type: 'object' } };
    await using hosted = host({ s: serverOf(tool('t', 'T', pair, () => 'ok')) });
    const client = await ready(hosted, 's');
    expect((await client.call('t')).result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('cannot convert') }],
    });
  });
});

describe('the MCP library', () => {
  afterEach(() => {
    vi.doUnmock('@modelcontextprotocol/server');
    vi.resetModules();
  });

  it('is not loaded before a session creates a server', async () => {
    const library = await import('@modelcontextprotocol/server');
    const load = vi.fn(() => library);
    vi.resetModules();
    vi.doMock('@modelcontextprotocol/server', load);
    const fresh = await import('../../src/mcp/index.ts');
    const server = fresh.toolServer({ name: 's', tools: [fresh.tool('t', 'T', {}, () => 'ok')] });
    expect(load).not.toHaveBeenCalled();
    await server.create();
    expect(load).toHaveBeenCalledOnce();
  });

  it('causes a typed error with the install command if it is missing', async () => {
    vi.resetModules();
    vi.doMock('@modelcontextprotocol/server', () => {
      throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' });
    });
    const fresh = await import('../../src/mcp/index.ts');
    const server = fresh.toolServer({ name: 's', tools: [] });
    const error: unknown = await server.create().catch((thrown: unknown) => thrown);
    expect(isCoxswainError(error)).toBe(true);
    expect(error).toMatchObject({
      code: 'mcp-library-missing',
      install: 'npm install @modelcontextprotocol/server@2',
      message: expect.stringContaining('npm install @modelcontextprotocol/server@2'),
    });

    await using hosted = host({ s: server });
    await expect(hosted.servers.open()).rejects.toMatchObject({ code: 'mcp-library-missing' });
  });
});

function serverOf(...tools: Tool[]): ToolServer {
  return toolServer({ name: 'test', tools });
}

async function ready(hosted: Hosted, name: string): Promise<Client> {
  const client = hosted.client(name);
  await client.handshake();
  return client;
}

async function resultOf(handler: ToolHandler<unknown>): Promise<Reply['result']> {
  await using hosted = host({ s: serverOf(tool('t', 'T', {}, handler)) });
  const client = await ready(hosted, 's');
  return (await client.call('t')).result;
}
