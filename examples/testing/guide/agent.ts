// #region agent
import { type AgentOptions, deny, permissions, type QueryStream, query } from 'coxswain';
import { tool, toolServer } from 'coxswain/mcp';
import { z } from 'zod';

const orders = tool('orders', 'Orders of a customer.', z.object({ customer: z.string() }), ({ customer }) =>
  customer === 'ada' ? 'one oar' : 'none',
);

/** Tests pass options that choose the CLI. */
export function support(question: string, options: AgentOptions = {}): QueryStream {
  return query(question, {
    ...options,
    mcpServers: { shop: toolServer({ name: 'shop', tools: [orders] }) },
    ...permissions({ allow: ['Read'], ask: ({ toolName }) => deny(`${toolName} is not for support.`) }),
  });
}
// #endregion
