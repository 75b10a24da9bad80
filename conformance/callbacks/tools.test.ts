import { setTimeout as sleep } from 'node:timers/promises';
import { text, toolUse } from '@coxswain/testkit';
import { McpServer as McpServerV2 } from '@modelcontextprotocol/server';
import { allow, deny, type PermissionRequest } from 'coxswain';
import { tool, toolServer } from 'coxswain/mcp';
import * as v from 'valibot';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { McpServer as McpServerV1 } from '../../tools/node_modules/@modelcontextprotocol/sdk/dist/esm/server/mcp.js';
import { pinnedVersion, testedVersions } from '../harness/real-cli.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { openStage, sharedStage } from './stage.ts';

const PAIR = z.object({ a: z.number(), b: z.number() });
const textResult = (value: string): { content: { type: 'text'; text: string }[] } => ({
  content: [{ type: 'text', text: value }],
});

describe.concurrent.each(testedVersions)('tools and servers of the host in %s', (version) => {
  const calls: unknown[] = [];
  const signals: AbortSignal[] = [];
  let atOnce = 0;
  let most = 0;
  const readOnly = { annotations: { readOnlyHint: true } };
  const calc = toolServer({
    name: 'calc',
    tools: [
      tool('with_zod', 'Adds', PAIR, ({ a, b }, { toolUseId }) => {
        calls.push({ a, b, toolUseId });
        return `zod says ${a + b}`;
      }),
      tool(
        'with_valibot',
        'Adds',
        {
          schema: v.object({ a: v.number(), b: v.number() }),
          jsonSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
        },
        ({ a, b }) => [{ type: 'text', text: `valibot says ${a + b}` }],
      ),
      tool(
        'with_json_schema',
        'Adds',
        { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
        (input) => textResult(`json schema says ${JSON.stringify(input)}`),
      ),
      tool('boom', 'Fails', z.object({}), () => {
        throw new Error('words-of-the-tool');
      }),
      tool(
        'slow',
        'Takes 2 s',
        z.object({ n: z.number() }),
        async ({ n }) => {
          atOnce += 1;
          most = Math.max(most, atOnce);
          await sleep(n === 0 ? 2_000 : 300);
          atOnce -= 1;
          return `slowly ${n}`;
        },
        readOnly,
      ),
      tool('endless', 'Never ends', z.object({}), (_, { signal }) => {
        signals.push(signal);
        return new Promise(() => {});
      }),
    ],
  });
  const asked: PermissionRequest[] = [];
  const other = toolServer({
    name: 'other',
    autoAllow: false,
    tools: [tool('touch', 'Leaves a trace', z.object({ how: z.string() }), ({ how }) => `touched ${how}`)],
  });
  const stage = sharedStage(version, {
    mcpServers: { calc, other },
    canUseTool(request) {
      asked.push(request);
      return JSON.stringify(request.input).includes('rough') ? deny('words-about-the-tool') : allow();
    },
  });

  beforeEach(() => {
    asked.length = 0;
  });

  it.sequential('[T-2, T-3, T-4] zod: the handler gets its input, the model gets the answer, and no permission is requested', async () => {
    const turn = await stage().play([toolUse('mcp__calc__with_zod', { a: 2, b: 3 }), text('five')]);
    expect(
      turn.messages.find((message) => message.type === 'system' && message.subtype === 'init')?.mcp_servers,
    ).toMatchObject([
      { name: 'calc', status: 'connected' },
      { name: 'other', status: 'connected' },
    ]);
    expect(calls).toMatchObject([{ a: 2, b: 3, toolUseId: expect.stringMatching(/^toolu_/) }]);
    expect(turn.requests[1]?.toolResults).toMatchObject([
      { isError: false, text: expect.stringContaining('zod says 5') },
    ]);
    expect(asked).toEqual([]);
    expect(turn).toMatchObject({ outcome: { kind: 'completed', text: 'five' }, warnings: [] });
  });

  it.sequential.each([
    ['with_valibot', { a: 2, b: 4 }, 'valibot says 6'],
    ['with_json_schema', { a: 7 }, 'json schema says {"a":7}'],
  ])('[T-2] %s: the model gets its answer', async (name, input, answer) => {
    const turn = await stage().play([toolUse(`mcp__calc__${name}`, input), text('done')]);
    expect(turn.requests[1]?.toolResults[0]?.text).toContain(answer);
  });

  it.sequential.each([
    ['with_zod', { a: 'two', b: 3 }],
    ['with_valibot', { a: 'two', b: 3 }],
    ['with_json_schema', { b: 3 }],
  ])('[T-2] %s: an invalid input is an error for the model, and the handler is not called', async (name, input) => {
    const before = calls.length;
    const turn = await stage().play([toolUse(`mcp__calc__${name}`, input), text('done')]);
    expect(turn.requests[1]?.toolResults).toMatchObject([{ isError: true }]);
    expect(calls).toHaveLength(before);
  });

  it.sequential('[T-2] a tool that throws: the model receives the failure, the warning has the reason, and the turn continues', async () => {
    const turn = await stage().play([toolUse('mcp__calc__boom', {}), text('what a pity')]);
    expect(turn.requests[1]?.toolResults).toMatchObject([
      { isError: true, text: expect.stringContaining('The tool failed.') },
    ]);
    expect(JSON.stringify(turn.requests)).not.toContain('words-of-the-tool');
    expect(stage().count('tool-failed')).toBe(1);
    expect(turn.outcome).toMatchObject({ kind: 'completed', text: 'what a pity' });
  });

  it.sequential('[T-3] a tool may take 2 s', async () => {
    const turn = await stage().play([toolUse('mcp__calc__slow', { n: 0 }), text('at last')]);
    expect(turn.requests[1]?.toolResults[0]?.text).toContain('slowly 0');
  });

  it.sequential('[T-3] calls of a read-only tool run in parallel, and each gets its own answer', async () => {
    most = 0;
    const calls = [1, 2, 3, 4].map((n) => toolUse('mcp__calc__slow', { n }, { id: `toolu_slow_${n}` }));
    const turn = await stage().play([calls, text('done')]);
    expect(most).toBe(4);
    const results = turn.requests[1]?.toolResults ?? [];
    expect(results).toHaveLength(4);
    for (const { toolUseId, text } of results) expect(text).toContain(`slowly ${toolUseId.slice(-1)}`);
  });

  it.sequential('[T-4, P-1] with autoAllow: false, canUseTool decides on a tool', async () => {
    const fine = await stage().play([toolUse('mcp__other__touch', { how: 'gently' }), text('done')]);
    expect(asked).toMatchObject([{ kind: 'tool', toolName: 'mcp__other__touch', input: { how: 'gently' } }]);
    expect(fine.requests[1]?.toolResults[0]?.text).toContain('touched gently');
    const rough = await stage().play([toolUse('mcp__other__touch', { how: 'rough' }), text('done')]);
    expect(rough.modelReceived('words-about-the-tool')).toBe(true);
    expect(rough.modelReceived('touched rough')).toBe(false);
  });

  it.sequential('[T-3] an interrupt aborts the signal of a running call, and the session continues', async () => {
    const turn = stage().begin([toolUse('mcp__calc__endless', {}), text('unheard')]);
    await waitUntil(() => signals.length > 0, { what: 'the call' });
    await stage().session.interrupt();
    expect(await turn.result()).toMatchObject({ terminal_reason: 'aborted_tools' });
    await waitUntil(() => signals[0]?.aborted, { what: 'the abort' });
    const next = await stage().play([toolUse('mcp__calc__with_zod', { a: 1, b: 1 }), text('two')]);
    expect(next.requests[1]?.toolResults[0]?.text).toContain('zod says 2');
  });

  const serverInfo = { name: 'any', version: '1.0.0' };
  const shakeHands = { result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo } };
  const listTools = { result: { tools: [{ name: 'say', description: 'Says', inputSchema: { type: 'object' } }] } };
  const methods: string[] = [];
  const v1 = new McpServerV1({ name: 'v1', version: '1.0.0' });
  v1.registerTool('add', { inputSchema: PAIR.shape }, ({ a, b }) => textResult(`v1 says ${a + b}`));
  const v2 = new McpServerV2({ name: 'v2', version: '1.0.0' });
  v2.registerTool('add', { inputSchema: PAIR }, ({ a, b }) => textResult(`v2 says ${a + b}`));
  const growing = new McpServerV2({ name: 'growing', version: '1.0.0' });
  growing.registerTool('first', { inputSchema: PAIR }, () => textResult('first'));
  const beside = sharedStage(version, {
    mcpServers: {
      v1,
      v2,
      growing,
      calc,
      raw: ({ method, params }) => {
        methods.push(method);
        if (method === 'initialize') return shakeHands;
        if (method === 'tools/list') return listTools;
        if (method === 'tools/call') return { result: textResult(`raw says ${JSON.stringify(params?.arguments)}`) };
        return { error: { code: -32_601, message: `no ${method}` } };
      },
    },
  });

  it.sequential('[T-1] an McpServer of the MCP SDK 1, one of 2, and a raw handler work in one session', async () => {
    const turn = await beside().play([
      [
        toolUse('mcp__v1__add', { a: 1, b: 1 }),
        toolUse('mcp__v2__add', { a: 1, b: 2 }),
        toolUse('mcp__raw__say', { word: 'hello' }),
      ],
      text('done'),
    ]);
    const answers = turn.requests[1]?.toolResults.map((result) => result.text).join('\n');
    for (const answer of ['v1 says 2', 'v2 says 3', 'raw says {"word":"hello"}']) expect(answers).toContain(answer);
    expect(methods).toEqual(expect.arrayContaining(['initialize', 'notifications/initialized', 'tools/list']));
    expect(turn.warnings).toEqual([]);
  });

  it.sequential('[T-3] tools/list_changed: newer releases offer the new tool in the next turn, older ones ignore it', async () => {
    const before = await beside().play([text('hm')]);
    expect(before.messages.find((message) => message.type === 'system' && message.subtype === 'init')?.tools).toContain(
      'mcp__growing__first',
    );
    growing.registerTool('second', { inputSchema: PAIR }, ({ a, b }) => textResult(`second says ${a + b}`));
    if (version === pinnedVersion) {
      await waitUntil(
        async () => {
          const next = await beside().play([text('hm')]);
          return next.messages
            .find((message) => message.type === 'system' && message.subtype === 'init')
            ?.tools.includes('mcp__growing__second');
        },
        { what: 'the new tool' },
      );
    }
    const turn = await beside().play([toolUse('mcp__growing__second', { a: 1, b: 2 }), text('done')]);
    expect(turn.requests[1]?.toolResults[0]?.text.includes('second says 3')).toBe(version === pinnedVersion);
  });

  it.sequential('[T-1] a bare server serves one session at a time; a factory serves any number', async () => {
    await expect(openStage(version, { mcpServers: { bare: v2 } })).rejects.toMatchObject({ code: 'tool-server-busy' });
    for (const each of [stage(), beside()]) {
      const turn = await each.play([toolUse('mcp__calc__with_zod', { a: 3, b: 4 }), text('seven')]);
      expect(turn.requests[1]?.toolResults[0]?.text).toContain('zod says 7');
    }
  });

  describe.sequential('after that session has ended', () => {
    let handshakes = 0;
    beforeAll(() => beside().session.close());
    const after = sharedStage(version, {
      limits: { toolRequestTimeoutMs: 1_000 },
      mcpServers: {
        bare: v2,
        broken: ({ method }) => {
          if (method === 'initialize') {
            handshakes += 1;
            return shakeHands;
          }
          if (method === 'tools/list') return listTools;
          throw new Error('words-of-the-crash');
        },
        silent: () => new Promise(() => {}),
      },
    });

    it.sequential('[T-3] the turn ends even if a server never answers its handshake', async () => {
      const turn = await after().play([text('nevertheless')]);
      expect(turn.outcome).toMatchObject({ kind: 'completed', text: 'nevertheless' });
      const servers =
        turn.messages.find((message) => message.type === 'system' && message.subtype === 'init')?.mcp_servers ?? [];
      expect(servers.filter(({ status }) => status === 'failed')).toMatchObject([{ name: 'silent' }]);
      expect(after().count('tool-server-timeout')).toBeGreaterThan(0);
    });

    it.sequential('[T-1] its bare server serves the next session', async () => {
      const turn = await after().play([toolUse('mcp__bare__add', { a: 1, b: 1 }), text('two')]);
      expect(turn.requests[1]?.toolResults[0]?.text).toContain('v2 says 2');
    });

    it.sequential('[T-3] if a server crashes, its calls fail and the turn continues', async () => {
      const turn = await after().play([toolUse('mcp__broken__say', {}), text('what a pity')]);
      expect(handshakes).toBeGreaterThan(0);
      expect(turn.requests[1]?.toolResults).toMatchObject([{ isError: true }]);
      expect(turn.outcome).toMatchObject({ kind: 'completed', text: 'what a pity' });
      expect(after().count('tool-server-failed')).toBeGreaterThan(0);
    });
  });
});

it.each(testedVersions)(
  '[X-1, T-1] setMcpServers() leaves the tools in this process of %s as they are',
  async (version) => {
    const own = toolServer({ name: 'own', tools: [tool('greet', 'Greets.', {}, () => 'hello from this process')] });
    await using stage = await openStage(version, { mcpServers: { own } });
    expect(await stage.session.setMcpServers({})).toMatchObject({ removed: [] });
    const played = await stage.play([toolUse('mcp__own__greet', {}), text('done')]);
    expect(played.modelReceived('hello from this process')).toBe(true);
  },
);
