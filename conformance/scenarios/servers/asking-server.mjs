// An MCP server on stdio whose tool `book` asks the user for a date before it answers.
import { createInterface } from 'node:readline';

const TOOL = { name: 'book', description: 'Books a table.', inputSchema: { type: 'object', properties: {} } };
const schema = { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] };

/** @param {object} message */
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
let calling;

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result } = JSON.parse(line);
  if (method === 'initialize') {
    const { protocolVersion } = params;
    const serverInfo = { name: 'asking', version: '1.0.0' };
    send({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === 'tools/list') {
    send({ id, result: { tools: [TOOL] } });
  } else if (method === 'tools/call') {
    calling = id;
    send({ id: 'q1', method: 'elicitation/create', params: { message: 'Which day?', requestedSchema: schema } });
  } else if (id === 'q1') {
    send({ id: calling, result: { content: [{ type: 'text', text: JSON.stringify(result) }] } });
  }
}
