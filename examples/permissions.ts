/** Permissions: rules that the CLI enforces, a callback for everything else, and an answer that arrives later. */
import { script } from '@coxswain/testkit';
import { allow, type CanUseTool, decideLater, deny, openSession, permissions } from 'coxswain';
import { pickAgent } from './agent.ts';

const scripted = script().otherwise((turn) =>
  turn
    .useTool('Read', { file_path: 'notes.md' }, { result: 'Buy oars.' })
    .useTool('WebFetch', { url: 'https://example.com', prompt: 'What is it?' }, { result: 'An example.' })
    .useTool('Write', { file_path: 'oars.md', content: 'Two oars.' })
    .useTool('Bash', { command: 'make install' }, { result: 'installed' })
    .say('I have read the notes and written oars.md. The rest was not permitted.'),
);
await using agent = await pickAgent(scripted);

// Called only for tool calls that no rule decides.
const ask: CanUseTool = (request) => {
  console.log(`asked: ${request.toolName}`);
  if (request.toolName === 'Write') return allow();
  if (request.toolName === 'Bash') return decideLater();
  return deny('Only writing and shell commands can be permitted here.');
};

await using session = openSession({
  cli: agent.cli,
  ...permissions({ allow: ['Read'], deny: ['WebFetch'], ask }),
  onEvent(event) {
    if (event.type !== 'permission-requested' || event.request.toolName !== 'Bash') return;
    // A request is plain JSON: a web page or a chat could show it, and answer it tomorrow.
    const { id } = event.request;
    setImmediate(() => session.answerPermission(id, deny('No installs on a Sunday.')));
  },
});
const turn = session.send(agent.prompt ?? 'Read notes.md, fetch example.com, write oars.md, run make install.');
console.log(await turn.text());
