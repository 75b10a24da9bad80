import { type AgentOptions, deny, permissions, query } from 'coxswain';
import { tool, toolServer } from 'coxswain/mcp';

const orders = tool(
  'orders',
  'Orders of a customer.',
  { type: 'object', properties: { customer: { type: 'string' } }, required: ['customer'] },
  (input) => `Orders of ${JSON.stringify(input)}: an oar.`,
  { annotations: { readOnlyHint: true } },
);

/** An agent with a tool, a guard hook and a permission policy, as a user would write it. */
export function answer(question: string, options: AgentOptions = {}): Promise<string> {
  return query(question, {
    ...options,
    mcpServers: { shop: toolServer({ name: 'shop', tools: [orders] }) },
    ...permissions({ allow: ['Read'], ask: () => deny('Only look.') }),
    hooks: {
      PreToolUse: {
        matcher: 'Bash',
        onFailure: 'block',
        run: (input) =>
          input.tool_name === 'Bash' && /\brm\b/.test(input.tool_input.command) ? deny('Remove nothing.') : undefined,
      },
    },
  }).text();
}
