/** One place for the options that all queries, sessions and pools of a program share. */
import { script } from '@coxswain/testkit';
import { createClient, deny } from 'coxswain';
import { pickAgent } from './agent.ts';

const scripted = script()
  .model('claude-sonnet-5-5')
  .otherwise((turn) => turn.useTool('Bash', { command: 'ls' }).say('Here I am.'));
await using agent = await pickAgent(scripted);
const { cli } = agent;

// #region client
const client = createClient({
  cli,
  model: 'sonnet',
  env: { TEAM: 'blue', STAGE: 'test' },
  hooks: { PreToolUse: { matcher: 'Bash', run: () => deny('No shell in this program.') } },
  onWarning: ({ code }) => console.log(`warning: ${code}`),
});
// #endregion

// The client's defaults.
console.log(await modelOf());

// The options of a call take precedence; `env`, `hooks` and similar objects are merged by key.
const options = { model: 'haiku', env: { STAGE: 'live' } };
console.log(await modelOf(options));

// #region with
const live = client.with({ model: 'opus', env: { STAGE: 'live' } });
console.log(live.defaults.env); // { TEAM: 'blue', STAGE: 'live' }
// #endregion

// #region guards
const log = ({ tool_name }: { tool_name: string }): void => console.log(`asked: ${tool_name}`);
const replaced = { hooks: { PreToolUse: log } }; // drops the client's guard: warning guard-replaced
const both = { hooks: { PreToolUse: [client.defaults.hooks?.PreToolUse ?? [], log].flat() } };
// #endregion
await modelOf(replaced);
await modelOf(both);

async function modelOf(given: Parameters<typeof client.query>[1] = {}): Promise<string | undefined> {
  const { messages } = await client.query(agent.prompt ?? 'Say something.', given).collect();
  return messages.find((message) => message.type === 'system' && message.subtype === 'init')?.model;
}
