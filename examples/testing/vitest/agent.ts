import { type AgentOptions, deny, permissions, type QueryStream, query } from 'coxswain';
import { tool, toolServer } from 'coxswain/mcp';
import { z } from 'zod';

const orders = tool('orders', 'Orders of a customer.', z.object({ customer: z.string() }), ({ customer }) =>
  customer === 'ada' ? 'one oar' : 'none',
);

/** The commands that may run, word for word. */
const COMMANDS = ['npm run orders'];

/** An agent with a tool, a permission policy and a guard. The options are for tests. */
export function support(question: string, options: AgentOptions = {}): QueryStream {
  return query(question, {
    ...options,
    mcpServers: { shop: toolServer({ name: 'shop', tools: [orders] }) },
    ...permissions({ allow: ['Bash'], ask: ({ toolName }) => deny(`${toolName} is not for support.`) }),
    hooks: {
      PreToolUse: {
        matcher: 'Bash',
        onFailure: 'block',
        run: (input) =>
          input.tool_name === 'Bash' && COMMANDS.includes(input.tool_input.command)
            ? undefined
            : deny('Not on the list.'),
      },
    },
  });
}
