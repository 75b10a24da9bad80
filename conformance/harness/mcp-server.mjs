// A small MCP server on stdio. Its tool `token` returns the value of TOKEN in its environment.
import { createInterface } from 'node:readline';

const TOOL = { name: 'token', description: 'Tells the token.', inputSchema: { type: 'object', properties: {} } };

const PAGE = 'ui://example/page';

/** @type {Record<string, (params: any) => object>} */
const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: 'example', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [TOOL] }),
  'tools/call': () => ({ content: [{ type: 'text', text: `token=${process.env.TOKEN}` }] }),
  'resources/list': () => ({ resources: [{ uri: PAGE, name: 'page' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, mimeType: 'text/html', text: '<p>boats</p>' }] }),
  ping: () => ({}),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = methods[method];
  const outcome = answer
    ? { result: answer(params) }
    : { error: { code: -32601, message: `There is no method ${method}.` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
}
