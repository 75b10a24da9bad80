/** One place for what all queries and sessions of a program have in common. */
import { script } from '@coxswain/testkit';
import { createClient, deny, isInit } from 'coxswain';
import { pickAgent } from './agent.ts';

const scripted = script()
  .model('claude-sonnet-5-5')
  .otherwise((turn) => turn.useTool('Bash', { command: 'ls' }).say('Here I am.'));
await using agent = await pickAgent(scripted);

const client = createClient({
  cli: agent.cli,
  model: 'sonnet',
  env: { TEAM: 'blue', STAGE: 'test' },
  hooks: { PreToolUse: { matcher: 'Bash', run: () => deny('No shell in this program.') } },
  onWarning: ({ code }) => console.log(`warning: ${code}`),
});

// The client's defaults.
console.log(await modelOf());

// What a call gives goes first; `env`, `hooks`, `mcpServers`, `agents` and `limits` are merged by key.
console.log(await modelOf({ model: 'haiku', env: { STAGE: 'live' } }));

async function modelOf(options: Parameters<typeof client.query>[1] = {}): Promise<string | undefined> {
  const { items } = await client.query(agent.prompt ?? 'Say something.', options).collect();
  return items.find(isInit)?.model;
}
