// #region session
import { openSession, outcomeOf } from 'coxswain';

await using session = openSession({ permissionMode: 'acceptEdits' });
console.log(await session.send('Which test fails, and why?').text());

const turn = session.send('Fix it.'); // the same process, the same conversation
for await (const message of turn) console.log(message.type);
console.log(outcomeOf(await turn.result()).kind, (await turn.cost()).costUsd);
// #endregion
