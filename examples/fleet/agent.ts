/** What the workers of the fleet run; `cox fleet worker --agent agent.ts` loads it. */

// #region agent
import { defineAgent } from '@coxswain/fleet';
import { inMemoryCli, script } from '@coxswain/testkit';
import { decideLater } from 'coxswain';
import { z } from 'zod';

export default defineAgent({
  data: z.object({ repository: z.string() }), // what a submission carries; a turn whose data does not match fails
  options: (job) => ({
    ...(process.argv.includes('--real') ? {} : scripted()), // no key, no network
    appendSystemPrompt: `You work for ${job.tenant} on ${job.data.repository}.`,
    allowedTools: ['Read', 'Grep'],
    canUseTool: () => decideLater(), // what the CLI asks for waits for a person
  }),
});
// #endregion

function scripted(): { transport: ReturnType<typeof inMemoryCli>['transport'] } {
  const agent = script()
    .onPrompt('release', (turn) =>
      turn
        .useTool('Bash', { command: 'npm publish' }, { result: 'published', permission: 'ask' })
        .say('Released.')
        .result({ costUsd: 0.02 }),
    )
    .onPrompt('wait', (turn) => turn.say('I wait.').silence())
    .otherwise((turn) => turn.say('The tests pass.').result({ costUsd: 0.01 }));
  return { transport: inMemoryCli(agent).transport };
}
