// #region restart
import { isCoxswainError, openSession } from 'coxswain';

await using session = openSession({ restart: { maxRestarts: 5, windowMs: 60_000 } });
const turn = session.send('Run all tests and fix what fails.');
const next = session.send('Summarise what you changed.'); // waits; goes to the new CLI if this one dies
await turn.result().catch((error) => {
  if (!isCoxswainError(error, 'turn-interrupted')) throw error;
  console.error(`The CLI died after: ${error.text}`);
});
console.log(await next.text());
// #endregion
