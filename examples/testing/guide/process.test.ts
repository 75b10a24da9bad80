// #region test
import test from 'node:test';
import { expectThat, script, scriptedCli } from '@coxswain/testkit';
import { support } from './agent.ts';

test('distinguishes a crash from an answer', async () => {
  await using cli = await scriptedCli(script().otherwise((turn) => turn.stderr('out of luck\n').crash()));
  const answer = await support('What did Ada order?', { cli: cli.path }).collect();
  expectThat(answer).not.toHaveCompleted(); // answer.terminalError is a ProcessError with the signal and the end of stderr
  expectThat(await cli.runs()).toHaveBeenPrompted('Ada');
});
// #endregion
