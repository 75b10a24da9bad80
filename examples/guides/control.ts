import { openSession } from 'coxswain';

// #region control
await using session = openSession({ fileCheckpointing: true });
await session.setModel('opus');
await session.setPermissionMode('acceptEdits');
const turn = session.send('Rename every variable called x.');
await turn.result();

const { percentage } = await session.contextUsage();
console.log(percentage);
const preview = await session.rewindFiles(turn.id, { dryRun: true });
if (preview.canRewind) await session.rewindFiles(turn.id); // restores the files to their state before the turn
// #endregion

{
  // #region request
  const cost = await session.request('get_session_cost', {}, { timeoutMs: 5_000 });
  // #endregion
  console.log(typeof cost);
}
