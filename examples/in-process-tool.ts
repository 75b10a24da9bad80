/** A tool that is a function of this program: typed, validated input, and no server to start. */
import { script } from '@coxswain/testkit';
import { query } from 'coxswain';
import { tool, toolServer } from 'coxswain/mcp';
import { z } from 'zod';
import { pickAgent } from './agent.ts';

const scripted = script().otherwise((turn) =>
  turn
    .useTool('mcp__boats__split', { metres: 2000, seconds: 360 })
    .useTool('mcp__boats__split', { metres: 0, seconds: 360 })
    .say('A 2000 m race in six minutes is a split of 1:30.'),
);
await using agent = await pickAgent(scripted);

const split = tool(
  'split',
  'The time for 500 m at the pace of a race.',
  z.object({ metres: z.number().positive(), seconds: z.number().positive() }),
  ({ metres, seconds }) => {
    const pace = Math.round((seconds / metres) * 500);
    console.log(`split(${metres} m, ${seconds} s) = ${pace} s`);
    return `${Math.floor(pace / 60)}:${String(pace % 60).padStart(2, '0')}`;
  },
  { annotations: { readOnlyHint: true } },
);

const stream = query(agent.prompt ?? 'What is the split of a 2000 m race in six minutes? Use the tool.', {
  cli: agent.cli,
  mcpServers: { boats: toolServer({ name: 'boats', tools: [split] }) },
});
for await (const message of stream) {
  // An input that does not match the schema never reaches the function; the model receives the reason.
  if (message.type !== 'user' || typeof message.message.content === 'string') continue;
  for (const block of message.message.content) {
    if (block.type === 'tool_result' && block.is_error) console.log('refused an input that does not fit the schema');
  }
}
console.log(await stream.text());
