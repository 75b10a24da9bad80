// #region test
import assert from 'node:assert/strict';
import test from 'node:test';
import { expectThat, inMemoryCli, script } from '@coxswain/testkit';
import { allow, decideLater, openSession } from 'coxswain';
import { memoryStore } from 'coxswain/store';

test('deploys after the approval, in another process', async () => {
  const agent = script().onPrompt('Deploy', (turn) =>
    turn.useTool('Bash', { command: 'npm run deploy' }, { result: 'deployed' }).say('It is live.'),
  );
  const sessionStore = memoryStore(); // the only thing that both sessions have in common
  await using session = openSession({
    transport: inMemoryCli(agent).transport,
    sessionStore,
    canUseTool: () => decideLater(),
  });
  const turn = session.send('Deploy it.');
  for await (const item of turn.items({ permissions: true })) if (item.kind === 'permission-requested') break;
  const [request] = session.pendingPermissions();
  const parked = await session.park(request?.id ?? '');

  const { transport, runs } = inMemoryCli(agent);
  await using later = openSession({ transport, sessionStore, parked: { ...parked, answer: allow() } });
  assert.equal(await later.parkedTurn?.text(), 'It is live.'); // the rest of the scripted turn
  expectThat(runs()).toHaveRunTool('Bash', { command: 'npm run deploy' });
});
// #endregion
