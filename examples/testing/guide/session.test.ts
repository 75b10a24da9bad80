// #region agent
import assert from 'node:assert/strict';
import test from 'node:test';
import { expectThat, inMemoryCli, script } from '@coxswain/testkit';
import {
  type AgentOptions,
  deny,
  type Message,
  openSession,
  outcomeOf,
  permissions,
  type Session,
  textDeltaOf,
  toolUsesOf,
} from 'coxswain';

/** The agent under test. Tests pass options that choose the CLI. */
function mechanic(options: AgentOptions = {}): Session {
  return openSession({
    ...options,
    includePartialMessages: true,
    ...permissions({ allow: ['Bash(npm test)'], ask: ({ toolName }) => deny(`${toolName} needs a person.`) }),
  });
}

test('applies its policy in every turn', async () => {
  const { transport, runs } = inMemoryCli(
    script()
      .onPrompt('Test', (turn) => turn.useTool('Bash', { command: 'npm test' }, { result: 'no' }).say('One fails.'))
      .onPrompt('Fix', (turn) => turn.useTool('Write', { file_path: 'oar.ts', content: '' }).say('I may not.')),
  );
  await using session = mechanic({ transport });
  assert.equal(await session.send('Test it.').text(), 'One fails.');
  assert.equal(await session.send('Fix it.').text(), 'I may not.');

  assert.deepEqual(runs()[0]?.prompts, ['Test it.', 'Fix it.']); // one run, two turns
  expectThat(runs()).toHaveRunTool('Bash');
  expectThat(runs()).toHaveRefusedTool('Write');
});
// #endregion

// #region interrupt
test('answers again after an interrupt', async () => {
  const { transport } = inMemoryCli(
    script()
      .onPrompt('Count', (turn) => turn.say('one two three', { everyMs: 10 }).silence()) // never ends on its own
      .otherwise((turn) => turn.say('Here.')),
  );
  await using session = mechanic({ transport });
  const counting = session.send('Count to a million.');
  for await (const message of counting) if (textDeltaOf(message) !== '') break; // the answer has started
  await counting.interrupt();
  assert.equal(outcomeOf(await counting.result()).kind, 'interrupted');
  assert.equal(await session.send('Are you there?').text(), 'Here.');
});
// #endregion

// #region steer
test('can be steered while a tool runs', async () => {
  const { transport } = inMemoryCli(
    script()
      .onPrompt('Run all tests', (turn) =>
        turn.useTool('Bash', { command: 'npm test' }, { durationMs: 1_500, result: 'ok' }).say('They pass.'),
      )
      .onPrompt('slow ones', (turn) => turn.say('Without the slow ones, then.')), // answered within the running turn
  );
  await using session = mechanic({ transport });
  const turn = session.send('Run all tests.');
  const messages: Message[] = [];
  for await (const message of turn) {
    messages.push(message);
    if (toolUsesOf(message).length > 0) await turn.steer('Leave the slow ones out.');
  }
  expectThat(messages).toHaveSaid('Without the slow ones');
  expectThat(messages).toHaveCompleted('They pass.');
});
// #endregion

// #region resume
test('resumes an earlier conversation', async () => {
  const { transport, runs } = inMemoryCli(
    script()
      .onPrompt('Ada', (turn) => turn.say('Hello, Ada.'))
      .onPrompt('Who', (turn) => turn.say('You are Ada.'), { inRun: 2 }), // only in the second run
  );
  const first = mechanic({ transport });
  await first.send('I am Ada.').text();
  await first.close();

  await using again = mechanic({ transport, resume: first.id });
  assert.equal(await again.send('Who am I?').text(), 'You are Ada.');
  await using copy = await again.fork();
  assert.notEqual(copy.id, again.id);

  assert.equal(runs().length, 3); // the first, the resumed and the forked session
  expectThat(runs()[1]).toHaveBeenStartedWith('--resume');
});
// #endregion
