import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { diff, fromScript, fromText, perform, readScenarios, rehearse, type Scenario } from '@coxswain/rehearsal';
import { script } from '@coxswain/testkit';
import { type AgentOptions, allow } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { pinnedVersion, realCli } from '../harness/real-cli.ts';

const cli = realCli();
const AGENT: AgentOptions = { settingSources: [], allowedTools: ['Bash(npm *)'], canUseTool: () => allow() };

/** Every recorded conversation of the repository. */
const FOLDERS = [
  'examples/testing/rehearsal/conversations',
  'examples/guides/recorded',
  'packages/testkit/test/fixtures/cassettes',
];
const root = fileURLToPath(new URL('../..', import.meta.url));
const files = (
  await Promise.all(
    FOLDERS.map(async (folder) => (await readdir(join(root, folder))).map((name) => join(root, folder, name))),
  )
).flat();

describe('every recorded conversation of the repository', () => {
  it.each(files.map((file) => [basename(file), file]))(
    `[N-3] has no difference on the same stage twice: %s (${pinnedVersion})`,
    async (_name, file) => {
      for (const scenario of await readScenarios(file)) await expectNoNoise(scenario);
    },
  );
});

describe('scenarios that a person wrote', () => {
  it(`[N-1] of a script differ from the real CLI where the script expects something else (${pinnedVersion})`, async () => {
    const agent = script().otherwise((turn) =>
      turn
        .useTool('Bash', { command: 'npm test' }, { result: '12 passed' })
        .useAgent({ description: 'Count', prompt: 'Count the boats.' }, (inner) =>
          inner.useTool('Bash', { command: 'make' }),
        )
        .say('Done.'),
    );
    const scenario = fromScript(agent, { prompts: ['Go.'] });
    await expectNoNoise(scenario);
    const { differences } = await rehearse(scenario, { agent: { ...AGENT, canUseTool: undefined }, cli });
    expect(differences.map(({ change, subject }) => `${change} ${subject}`)).toEqual(['now-refused Bash(make)']);
  });

  it(`[N-1] of a text are decided as it expects (${pinnedVersion})`, async () => {
    const scenario = fromText(
      'a',
      '> Go.\nBash: npm test\n  12 passed\nRead: notes.txt\n  one\nBash: make => refused\n',
    );
    const { differences, gaps } = await rehearse(scenario, { agent: { ...AGENT, canUseTool: undefined }, cli });
    expect({ differences, gaps }).toEqual({ differences: [], gaps: [] });
  });
});

async function expectNoNoise(scenario: Scenario): Promise<void> {
  const first = await perform(scenario, { agent: AGENT, cli });
  expect(diff(first, await perform(scenario, { agent: AGENT, cli }))).toEqual([]);
}
