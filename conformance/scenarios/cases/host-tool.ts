import { script } from '@coxswain/testkit';
import { tool, toolServer } from 'coxswain/mcp';
import { z } from 'zod';
import { scenario } from '../scenario.ts';

const add = tool('add', 'Adds two numbers.', z.object({ a: z.number(), b: z.number() }), ({ a, b }) => String(a + b));
const calc = toolServer({ name: 'calc', tools: [add] });

export default scenario('host-tool', {
  about: "The model calls a tool in the host's process.",
  agent: script().otherwise((turn) => turn.useTool('mcp__calc__add', { a: 2, b: 3 }).say('Five.')),
  play: (host) =>
    host.session({ mcpServers: { calc } }, async (session) => {
      // 2.1.325 does the handshake in parallel with the session, older releases at the first prompt, so its position would vary.
      if (session.capabilities.features.length > 0) await host.until('control_request mcp_message tools/list');
      await session.send('Add.').result();
    }),
});
