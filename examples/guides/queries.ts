import { type AgentOptions, outcomeOf, query } from 'coxswain';
import { z } from 'zod';

// #region items
for await (const item of query('List the open questions in docs/.').items()) {
  if (item.kind === 'message') console.log(item.seq, item.message.type, item.rawJson.length);
  if (item.kind === 'warning') console.warn(item.warning.code, item.warning.context);
  if (item.kind === 'error') console.warn(item.error.code); // one bad line; the run continues
}
// #endregion

{
  // #region collect
  const { messages, warnings, terminalError } = await query('List the open questions in docs/.').collect();
  // #endregion
  console.log(`collected ${messages.length > 0}, ${warnings.length} warnings, ${terminalError?.message ?? 'no error'}`);
}

{
  // #region background
  const stream = query('Start the slow tests in the background and tell me how they went.');
  console.log(await stream.text()); // the final answer, not the first "I have started them"
  console.log(stream.results.length); // 2: one for the prompt, one for the end of the background task
  // #endregion
}

{
  // #region structured
  const Release = z.object({ version: z.string(), breaking: z.boolean() });
  const release = await query('What will the next release be?', { outputSchema: Release }).output();
  console.log(release.version, release.breaking); // typed: string, boolean
  // #endregion
}

{
  // #region cancel
  const controller = new AbortController();
  const stream = query('Count slowly to a million.', {
    signal: controller.signal, // code 'abort'; the cause is the reason passed to abort()
    timeoutMs: 10 * 60_000, // code 'timeout', kind 'timeoutMs': the whole run
    idleTimeoutMs: 60_000, // code 'timeout', kind 'idleTimeoutMs': no output for this long
  });
  setTimeout(() => controller.abort(new Error('no longer needed')), 100);
  await stream.text().catch((error) => console.log(error.code, error.cause.message));
  console.log((await stream.close()).ended); // resolves when the process has exited
  // #endregion
}

{
  // #region using
  await using stream = query('Count slowly to a million.'); // closed at the end of the block, whatever happens
  for await (const message of stream) if (message.type === 'assistant') break;
  // #endregion
  console.log(`state ${stream.state}`);
}

// #region strictly
/** Returns the answer only if the run had no warnings. For pipelines, where warnings go unread. */
async function strictly(prompt: string, options: AgentOptions = {}): Promise<string> {
  const stream = query(prompt, { ...options, strictExit: true });
  const { warnings, terminalError } = await stream.collect();
  if (terminalError) throw terminalError;
  const outcome = outcomeOf(await stream.result());
  if (outcome.kind !== 'completed') throw new Error(`${outcome.kind}: ${outcome.message}`);
  if (warnings.length > 0) throw new Error(warnings.map(({ code, message }) => `${code}: ${message}`).join('\n'));
  return outcome.text;
}
// #endregion
console.log(await strictly('List the open questions in docs/.'));
await strictly('Leave with a bad exit code.').catch((error) => console.log(`refused: ${error.code}`));
await strictly('Ask too much.').catch((error) => console.log(`refused: ${error.message}`));
