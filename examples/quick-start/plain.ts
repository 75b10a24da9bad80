import { openSession } from 'coxswain';

// #region plain
const session = openSession();
try {
  console.log(await session.send('In one sentence: what does this repository do?').text());
} finally {
  await session.close(); // without it, the session keeps the process alive
}
// #endregion
