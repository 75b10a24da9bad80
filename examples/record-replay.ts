/** Records a run of an agent, then replays it without the agent, as a test does. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CassetteError, recording, replaying, script } from '@coxswain/testkit';
import { type AgentOptions, allow, query } from 'coxswain';
import { pickAgent } from './agent.ts';

const scripted = script().otherwise((turn) =>
  turn
    .useTool('Write', { file_path: 'crew.md', content: 'eight and a cox' }, { permission: 'ask' })
    .say('It is written.'),
);
await using agent = await pickAgent(scripted);
const folder = await mkdtemp(join(tmpdir(), 'cox-cassettes-'));
const cassette = join(folder, 'crew.ndjson');
const prompt = agent.prompt ?? 'Write the crew into crew.md.';

/** The code under test: it accepts its transport as an option. */
async function writeCrew(ask: string, options: AgentOptions): Promise<string> {
  return query(ask, {
    ...options,
    canUseTool: (request) => {
      console.log(`asked about ${request.toolName}`);
      return allow();
    },
  }).text();
}

// #region record
const record = recording(cassette, { cli: agent.cli });
console.log('recorded:', await writeCrew(prompt, { transport: record }));
await record.saved(); // the CLI has exited, and the file is complete
// #endregion

// #region replay
const replay = replaying(cassette);
console.log('played:', await writeCrew(prompt, { transport: replay }));
console.log('not played:', (await replay.unplayed()).length);
// #endregion

// #region mismatch
try {
  await writeCrew('Write the crew into boat.md.', { transport: replaying(cassette) });
} catch (error) {
  if (!(error instanceof CassetteError)) throw error;
  console.log(`${error.problem} in line ${error.line}:`, error.differences[0]?.path);
}
// #endregion

await rm(folder, { recursive: true });
