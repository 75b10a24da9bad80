/** A raw session: your own flags and handshake, every frame of the CLI, and answers that are passed on as they are. */
import { script } from '@coxswain/testkit';
import { findCli } from 'coxswain/cli';
import { openRawSession } from 'coxswain/raw';
import { pickAgent } from './agent.ts';

const scripted = script().otherwise((turn) => turn.useTool('Bash', { command: 'ls' }).say('I may not look.'));
await using agent = await pickAgent(scripted);
const { command } = await findCli({ cli: agent.cli });

// #region session
await using session = openRawSession({
  argv: [
    ...command,
    '--input-format',
    'stream-json',
    '--output-format',
    'stream-json',
    '--verbose',
    '--permission-prompt-tool',
    'stdio',
  ],
  env: Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ''])),
  initialize: { systemPrompt: ['You are brief.'] },
  onRequest: ({ subtype, tool_name }) =>
    subtype === 'can_use_tool' ? { behavior: 'deny', message: `No ${tool_name}.` } : undefined,
});
const { claude_code_version } = await session.handshake; // the whole answer of the CLI
await session.send({ type: 'user', message: { role: 'user', content: agent.prompt ?? 'What is here?' } });
for await (const { message } of session) {
  console.log(message.type);
  if (message.type === 'result') await session.endInput(); // the CLI exits, and the loop ends
}
console.log((await session.ended).exit.exitCode);
// #endregion
console.log(typeof claude_code_version);
