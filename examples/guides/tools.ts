import { McpServer } from '@modelcontextprotocol/server';
import { query } from 'coxswain';
import { type RawToolHandler, tool, toolServer } from 'coxswain/mcp';
import { z } from 'zod';

// #region tool
const search = tool(
  'search_orders',
  'Orders of a customer, newest first.', // the model reads this
  z.object({ customer: z.string(), limit: z.number().int().max(50).default(10) }),
  async ({ customer, limit }, { signal, toolUseId }) => {
    const url = `http://localhost:8080/orders?customer=${encodeURIComponent(customer)}&limit=${limit}`;
    const response = await fetch(url, { signal }); // aborted when the call is cancelled or the session closes
    if (!response.ok) throw new Error(`The order service returned ${response.status} (${toolUseId}).`);
    return await response.text();
  },
  { annotations: { readOnlyHint: true } }, // the CLI runs such calls in parallel
);

const shop = toolServer({ name: 'shop', instructions: 'Look up orders before you answer.', tools: [search] });
const text = await query('What did Ada order last?', { mcpServers: { shop } }).text();
// #endregion
console.log(text);

// #region json-schema
const ping = tool(
  'ping',
  'Checks a host.',
  { type: 'object', properties: { host: { type: 'string' } }, required: ['host'] }, // the input is `unknown`
  (input) => `pinged ${JSON.stringify(input)}`,
);
// #endregion

// #region content
const chart = tool('chart', 'Draws a chart.', z.object({ title: z.string() }), ({ title }) => [
  { type: 'text', text: `A chart: ${title}` },
  { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
]);
const strict = tool('strict', 'Refuses politely.', z.object({}), () => ({
  content: [{ type: 'text', text: 'Not on a Sunday.' }],
  isError: true,
}));
// #endregion

// #region auto-allow
const careful = toolServer({ name: 'careful', tools: [ping, chart, strict], autoAllow: false });
const careless = await query('Ping the database, then draw a chart.', {
  mcpServers: { careful },
  allowedTools: ['mcp__careful__chart'], // ping and strict need a permission; without a callback they are refused
}).text();
// #endregion
console.log(careless);

// #region bare
const server = new McpServer({ name: 'clock', version: '1.0.0' });
server.registerTool('now', { description: 'The time.' }, () => ({
  content: [{ type: 'text', text: new Date(0).toISOString() }],
}));
const time = await query('What time is it?', { mcpServers: { clock: server } }).text();
// #endregion
console.log(time);

// #region raw
const echo: RawToolHandler = (message) => {
  if (message.method === 'initialize') {
    return {
      result: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'echo', version: '1.0.0' },
      },
    };
  }
  if (message.method === 'tools/list') {
    return { result: { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] } };
  }
  if (message.method === 'tools/call') return { result: { content: [{ type: 'text', text: 'echo!' }] } };
  return undefined; // a notification
};
const echoed = await query('Shout.', { mcpServers: { echo } }).text();
// #endregion
console.log(echoed);
