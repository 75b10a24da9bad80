// The code of the guide to rehearsals. COXSWAIN_CLI names the CLI.
import { fileURLToPath } from 'node:url';
// #region rehearse
import { describeDifference, readScenario, rehearse, summarize } from '@coxswain/rehearsal';
import { type AgentOptions, permissions } from 'coxswain';

const today: AgentOptions = permissions({ allow: ['Bash(npm *)'] });
const tomorrow: AgentOptions = permissions({ allow: ['Bash(npm test)', 'Bash(npm run *)'] });

const file = fileURLToPath(new URL('./recorded/release.json', import.meta.url));
const rehearsal = await rehearse(
  await readScenario(file),
  { agent: tomorrow, cli: process.env.COXSWAIN_CLI },
  { against: { agent: today, cli: process.env.COXSWAIN_CLI } },
);
console.log(summarize([rehearsal]).sentence);
for (const difference of rehearsal.differences) console.log(describeDifference(difference));
// #endregion
