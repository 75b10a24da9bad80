import { openSession, query } from 'coxswain';

// #region stderr
const stream = query('Say something.', {
  extraArgs: { 'debug-to-stderr': true }, // makes the CLI log to stderr
  onStderr: (line) => console.error('claude:', line), // line by line, redacted
});
// #endregion
console.log(await stream.text());

// #region shutdown
const session = openSession();
process.once('SIGTERM', async () => {
  await session.close(); // lets the CLI write its transcript; no guarded tool runs in the meantime
  process.exit(0);
});
// #endregion
process.kill(process.pid, 'SIGTERM');
