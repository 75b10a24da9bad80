import type { AgentOptions } from '../../../packages/sdk/src/index.ts';
import { text, toolUse } from '../../../packages/testkit/src/fake-api/reply.ts';
import { mcpServer } from '../../harness/mcp-server.ts';
import { expecting, type Probe } from '../probe.ts';

type Server = NonNullable<AgentOptions['mcpServers']>[string];

/** Whether tools of the host, and of servers the CLI starts, can be called in a session. */
export const mcpProbes: readonly Probe[] = [
  {
    id: 'sdk-tools',
    group: 'MCP',
    title: 'a tool that is a function of the host',
    async prove(bench) {
      const session = await bench.start({ mcpServers: { own: server('text-from-the-host') } });
      const { messages } = await bench.play(session, [toolUse('mcp__own__say', {}), text('done')]);
      return expecting({
        'the server is connected': JSON.stringify(
          messages.find((message) => message.type === 'system' && message.subtype === 'init')?.mcp_servers,
        ).includes('connected'),
        'the model receives the result': bench.modelReceived('text-from-the-host'),
      });
    },
  },
  {
    id: 'sdk-tools:error',
    group: 'MCP',
    title: 'a tool of the host that fails',
    async prove(bench) {
      const session = await bench.start({ mcpServers: { own: server('words-of-the-failure', true) } });
      const { answer } = await bench.play(session, [toolUse('mcp__own__say', {}), text('a pity')]);
      const received = bench.asked.at(-1)?.toolResults.at(-1);
      return expecting({
        'the model receives the error': received?.isError === true && received.text.includes('words-of-the-failure'),
        'the turn continues': answer === 'a pity',
      });
    },
  },
  {
    id: 'session:mcp',
    group: 'MCP',
    title: 'an MCP server the CLI starts (`mcpServers`), in a session',
    async prove(bench) {
      const session = await bench.start({
        mcpServers: { plain: { ...mcpServer, env: { TOKEN: 'word' } } },
        allowedTools: ['mcp__plain__token'],
      });
      await bench.play(session, [toolUse('mcp__plain__token', {}), text('done')]);
      return expecting({ 'its tool answered': bench.modelReceived('token=word') });
    },
  },
];

/** A server of the host with one tool that always returns the same. */
function server(answer: string, isError = false): Server {
  return ({ method, params }) => {
    if (method === 'initialize') {
      const protocolVersion = params?.protocolVersion ?? '2025-06-18';
      return {
        result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'own', version: '1.0.0' } },
      };
    }
    if (method === 'tools/list') {
      return {
        result: { tools: [{ name: 'say', description: 'Says', inputSchema: { type: 'object', properties: {} } }] },
      };
    }
    if (method === 'tools/call') return { result: { content: [{ type: 'text', text: answer }], isError } };
    return { error: { code: -32_601, message: `There is no ${method}.` } };
  };
}
