import { fileURLToPath } from 'node:url';
import { script } from '@coxswain/testkit';
import { scenario } from '../scenario.ts';

const server = fileURLToPath(new URL('../servers/asking-server.mjs', import.meta.url));
const schema = { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] };

export default scenario('elicitation', {
  about: 'An MCP server asks the user a question in the middle of a tool call; its hooks are called too.',
  agent: script().otherwise((turn) =>
    turn
      .useTool('mcp__asking__book', {}, { result: 'Booked.', elicits: { message: 'Which day?', schema } })
      .say('It is booked.'),
  ),
  play: (host) =>
    host.session(
      {
        allowedTools: ['mcp__asking'],
        mcpServers: { asking: { command: process.execPath, args: [server] } },
        hooks: { Elicitation: () => ({}), ElicitationResult: () => ({}) },
        onElicitation: () => ({ action: 'accept', content: { day: 'Monday' } }),
      },
      async (session) => {
        await session.send('Book a table.').result();
      },
    ),
});
