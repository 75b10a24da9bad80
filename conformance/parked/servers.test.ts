import { type AgentOptions, askUser } from 'coxswain';
import { describe } from 'vitest';
import { mcpServer } from '../harness/mcp-server.ts';
import { measuring } from './measured.ts';
import { calls } from './model.ts';
import { parkedVersions } from './versions.ts';
import { wordsOf } from './words.ts';

const callsToken = calls('mcp__plain__token', {});
const callsAdd = calls('mcp__calc__add', { a: 2, b: 3 });

/** A server that takes six seconds to start: longer than older releases wait, even on a busy machine. */
const slow = { command: 'bash', args: ['-c', `sleep 6; exec ${[mcpServer.command, ...mcpServer.args].join(' ')}`] };

/** A tool of the host. */
const calc: NonNullable<AgentOptions['mcpServers']>[string] = ({ method, params }) => {
  if (method === 'initialize') {
    const serverInfo = { name: 'calc', version: '1' };
    return { result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo } };
  }
  if (method === 'tools/list') return { result: { tools: [{ name: 'add', inputSchema: { type: 'object' } }] } };
  const { a, b } = Object(params?.arguments);
  return { result: { content: [{ type: 'text', text: String(a + b) }] } };
};

/** The SDK allows the host's tools; the hook makes the CLI ask. */
const hosted: AgentOptions = { mcpServers: { calc }, hooks: { PreToolUse: () => askUser('who knows') } };

describe.concurrent.each(parkedVersions)('a call of an MCP tool that is parked on %s', (version) => {
  const measure = measuring('servers', version);

  for (const [name, server] of Object.entries({ '': mcpServer, ', in six seconds': slow })) {
    measure(`a tool of an MCP server that the CLI starts${name}`, callsToken, async (stage) => {
      const { id, asked } = await stage.park({ mcpServers: { plain: mcpServer } });
      const resumed = await stage.resume(id, { mcpServers: { plain: server } });
      return wordsOf({ stage, resumed, before: asked[0], counts: false });
    });
  }

  measure('a tool of the host', callsAdd, async (stage) => {
    const { id, asked } = await stage.park(hosted);
    const resumed = await stage.resume(id, hosted);
    return wordsOf({ stage, resumed, before: asked[0], counts: false });
  });

  measure('a tool of the host, with a prompt after the first result', callsAdd, async (stage) => {
    const { id, asked } = await stage.park(hosted);
    const resumed = await stage.resume(id, hosted);
    await resumed.result();
    resumed.session
      .send('Continue from where you left off.')
      .result()
      .catch(() => {});
    return wordsOf({ stage, resumed, before: asked[0], counts: false }, 1);
  });

  measure('a tool of a missing MCP server', callsAdd, async (stage) => {
    const { id, asked } = await stage.park(hosted);
    const resumed = await stage.resume(id);
    return wordsOf({ stage, resumed, before: asked[0], counts: false });
  });
});
