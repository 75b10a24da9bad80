import { script } from '@coxswain/testkit';
import { tool, toolServer } from 'coxswain/mcp';
import { z } from 'zod';
import { scenario } from '../scenario.ts';

const add = tool('add', 'Adds two numbers.', z.object({ a: z.number(), b: z.number() }), ({ a, b }) => String(a + b));
const calc = toolServer({ name: 'calc', tools: [add] });

export default scenario('unknown-host-tool', {
  about: "The model calls a tool that the host's server does not offer: the host is not called.",
  agent: script().otherwise((turn) => turn.useTool('mcp__calc__divide', { a: 2, b: 3 }).say('I cannot.')),
  play: (host) =>
    host.session({ mcpServers: { calc } }, async (session) => {
      if (session.capabilities.features.length > 0) await host.until('control_request mcp_message tools/list');
      await session.send('Divide.').result();
    }),
});
