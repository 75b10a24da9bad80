// A small MCP server over stdio. Its tool `trace` declares itself read-only, so that the CLI calls it concurrently, but it creates
// a file: trace-server.mjs <directory>.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [directory = '.'] = process.argv.slice(2);

const TRACE = {
  name: 'trace',
  description: 'Leaves a trace.',
  inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  annotations: { readOnlyHint: true },
};

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'trace', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: [TRACE] }),
  'tools/call': ({ arguments: { name } }) => {
    writeFileSync(join(directory, name), 'traced');
    return { content: [{ type: 'text', text: `traced ${name}` }] };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method];
  const body = answer ? { result: answer(params) } : { error: { code: -32601, message: `no ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
}
