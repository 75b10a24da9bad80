import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ElicitationRequest } from '@coxswain/drop-in';
import { text, toolUse } from '@coxswain/testkit';
import { z } from 'zod';
import { compare, differs, SAME } from './compare.ts';
import { keysOf, labels } from './facts.ts';

const ASKING = {
  command: process.execPath,
  args: [fileURLToPath(new URL('../../../../conformance/scenarios/servers/asking-server.mjs', import.meta.url))],
};

compare(
  '[U-3] in-process tools',
  async (stage) => {
    const { tool, createSdkMcpServer } = stage.sdk;
    const calls: [unknown, string[]][] = [];
    const harbour = createSdkMcpServer({
      name: 'harbour',
      version: '1.2.3',
      tools: [
        tool('depth', 'The depth.', { at: z.string(), metres: z.boolean().default(true) }, async (args, extra) => {
          calls.push([args, keysOf(extra)]);
          return { content: [{ type: 'text', text: `four at ${args.at}` }] };
        }),
        tool('fails', 'Says that it failed.', {}, async () => ({
          content: [{ type: 'text', text: 'no water' }],
          isError: true,
        })),
        tool('throws', 'Throws.', {}, async () => {
          throw new Error('ran aground');
        }),
        tool('structured', 'Gives data.', {}, async () => ({
          content: [{ type: 'text', text: '{"depth":4}' }],
          structuredContent: { depth: 4 },
        })),
      ],
    });
    stage.say(
      toolUse('mcp__harbour__depth', { at: 'the pier' }),
      toolUse('mcp__harbour__depth', { at: 4 }),
      toolUse('mcp__harbour__fails', {}),
      toolUse('mcp__harbour__throws', {}),
      toolUse('mcp__harbour__structured', {}),
      toolUse('mcp__asking__book', {}),
      text('Done.'),
    );
    const { messages } = await stage.run('Measure.', {
      mcpServers: { harbour, asking: ASKING },
      allowedTools: ['mcp__harbour', 'mcp__asking'],
      env: { ENABLE_TOOL_SEARCH: 'false' },
    });
    const init = messages.find((message) => message.type === 'system' && message.subtype === 'init');
    const results = stage.toolResults;
    const [first] = stage.api.conversation;
    return {
      'arguments of the handler': calls.map(([args]) => args),
      'fields of its second argument': calls[0]?.[1],
      'a result': results[0],
      'wrong arguments: the handler is not called': calls.length,
      'wrong arguments: what the model reads': String(JSON.stringify(results[1])).includes(
        'Invalid arguments for tool depth',
      ),
      'wrong arguments: as JSON': String(JSON.stringify(results[1])).includes('invalid_type'),
      'isError: what the model reads': results[2],
      'an error: what the model reads': results[3],
      'structured content: what the model reads': results[4],
      'an elicitation without a callback': results[5],
      'servers in the init message': init?.type === 'system' && init.subtype === 'init' ? init.mcp_servers : null,
      'schema the model reads': first?.toolDefinitions.find(({ name }) => name === 'mcp__harbour__depth'),
      'order of messages': labels(messages),
    };
  },
  {
    'arguments of the handler': [{ at: 'the pier', metres: true }],
    'fields of its second argument': SAME,
    'a result': { said: 'four at the pier', isError: false },
    'wrong arguments: the handler is not called': 1,
    'wrong arguments: what the model reads': true,
    'wrong arguments: as JSON': differs('invalid arguments of a tool'),
    'isError: what the model reads': { said: 'no water', isError: true },
    'an error: what the model reads': { said: 'ran aground', isError: true },
    'structured content: what the model reads': SAME,
    'an elicitation without a callback': { said: '{"action":"decline"}', isError: false },
    'servers in the init message': SAME,
    'schema the model reads': SAME,
    'order of messages': SAME,
  },
);

compare(
  '[U-3] an elicitation',
  async (stage) => {
    const asked: [ElicitationRequest, string[]][] = [];
    stage.say(toolUse('mcp__asking__book', {}), text('Done.'));
    await stage.run('Book.', {
      mcpServers: { asking: ASKING },
      allowedTools: ['mcp__asking'],
      onElicitation: async (request, context) => {
        asked.push([request, keysOf(context)]);
        return { action: 'accept', content: { day: 'Monday' } };
      },
    });
    const [[request, context] = []] = asked;
    return {
      'fields of the request': keysOf(request),
      'the request': [request?.serverName, request?.message, request?.mode, request?.requestedSchema],
      'fields of the context': context,
      'what the model reads': stage.toolResults[0],
    };
  },
  {
    'fields of the request': ['message', 'mode', 'requestedSchema', 'serverName'],
    'the request': SAME,
    'fields of the context': ['requestId', 'signal'],
    'what the model reads': SAME,
  },
);

compare(
  '[U-2] structured output',
  async (stage) => {
    const schema = { type: 'object', properties: { oars: { type: 'number' } }, required: ['oars'] };
    const outputFormat = { type: 'json_schema' as const, schema };
    stage.say(toolUse('StructuredOutput', { oars: 50 }));
    const given = await stage.run('Count the oars.', { outputFormat });
    stage.say(text('Fifty.'), text('Still fifty.'), text('Fifty.'), text('Fifty.'), text('Fifty.'), text('Fifty.'));
    const prose = await stage.run('Count the oars.', { outputFormat });
    const outputOf = ({ result }: typeof given) => (result?.subtype === 'success' ? result.structured_output : null);
    return {
      'the output': outputOf(given),
      'order of messages': labels(given.messages),
      'prose: the result': [prose.result?.subtype, outputOf(prose) ?? 'no output'],
    };
  },
  { 'the output': { oars: 50 }, 'order of messages': SAME, 'prose: the result': SAME },
);

compare(
  '[U-3] servers in the handshake',
  async (stage) => {
    const token = 'secret-of-the-server';
    let argv = '';
    stage.say(text('Done.'));
    const { messages } = await stage.run('Hello.', {
      mcpServers: { asking: { ...ASKING, env: { TOKEN: token } } },
      mcpServersDelivery: 'initialize',
      spawnClaudeCodeProcess: ({ command, args, cwd, env }) => {
        argv = args.join(' ');
        return spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] });
      },
    });
    const init = messages.find((message) => message.type === 'system' && message.subtype === 'init');
    return {
      'their state': init?.type === 'system' && init.subtype === 'init' ? init.mcp_servers : null,
      'the arguments': [argv.includes('--await-initialize'), argv.includes('--mcp-config'), argv.includes(token)],
    };
  },
  {
    'their state': [{ name: 'asking', status: 'connected', source: 'dynamic' }],
    'the arguments': [true, false, false],
  },
);
