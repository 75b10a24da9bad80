import { type AgentOptions, allow, createPool, deny, isCoxswainError, openSession, outcomeOf, query } from 'coxswain';
import { tool, toolServer } from 'coxswain/mcp';
import { z } from 'zod';

{
  // #region one-shot
  const options: AgentOptions = { systemPrompt: '', model: 'sonnet', maxTurns: 5 };
  console.log(await query('What is in this folder?', options).text());
  // #endregion
}

{
  // #region session
  await using session = openSession({ systemPrompt: '' });
  for (const prompt of ['My boat is called Ariel.', 'What is she called?']) {
    const turn = session.send(prompt);
    const outcome = outcomeOf(await turn.result()); // this turn's own result
    console.log(outcome.kind === 'completed' ? outcome.text : outcome.kind, (await turn.cost()).costUsd);
  }
  // #endregion
}

{
  // #region callbacks
  const text = await query('Tidy up.', {
    canUseTool: (request) => (request.toolName === 'Write' ? allow() : deny('Only Write.')),
    hooks: {
      PreToolUse: { matcher: 'Bash', onFailure: 'block', run: () => deny('No shell.') },
    },
  }).text();
  // #endregion
  console.log(text);
}

{
  // #region tools
  const add = tool('add', 'Adds two numbers.', z.object({ a: z.number(), b: z.number() }), ({ a, b }) => String(a + b));
  const sum = toolServer({ name: 'sum', tools: [add] });
  console.log(await query('What is 2 + 3?', { mcpServers: { sum } }).text()); // in-process tools are allowed by default
  // #endregion
}

{
  // #region output
  const Boat = z.object({ name: z.string(), seats: z.number() });
  const boat = await query('Describe the boat.', { outputSchema: Boat }).output(); // validated and typed; rejects otherwise
  console.log(boat.name, boat.seats);
  // #endregion
}

// #region errors
try {
  await query('Go.', { cli: '/no/such/claude' }).text();
} catch (error) {
  if (isCoxswainError(error)) console.log(error.code); // 'cli-not-found', 'process', 'timeout', 'result', …
}
// #endregion

{
  // #region warm
  await using pool = createPool({ size: 4, prewarm: 2 });
  const done = await pool.run({ prompt: 'Hello.' }); // runs in a process that is already warm
  console.log(done.status);
  // #endregion
}
