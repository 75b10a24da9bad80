/** Three ways to stop a run. None of them leaves a process behind: `close()` resolves when the process has exited. */
import { script } from '@coxswain/testkit';
import { isCoxswainError, query } from 'coxswain';
import { pickAgent } from './agent.ts';

const scripted = script().otherwise((turn) => turn.say('Counting: one, two, three …').silence());
await using agent = await pickAgent(scripted);
const prompt = agent.prompt ?? 'Count to a million, one number per line.';
const options = { cli: agent.cli, includePartialMessages: true };

// 1. Leave the loop.
const left = query(prompt, options);
for await (const message of left) {
  if (message.type === 'stream_event') break;
}
console.log(`left the loop: the CLI was ${(await left.close()).ended}`);

// 2. Abort a signal, with a reason.
const controller = new AbortController();
const aborted = query(prompt, { ...options, signal: controller.signal });
try {
  for await (const message of aborted) {
    if (message.type === 'stream_event') controller.abort(new Error('changed my mind'));
  }
} catch (error) {
  if (!isCoxswainError(error, 'abort')) throw error;
  console.log(`aborted: ${error.cause instanceof Error ? error.cause.message : error.cause}`);
}
await aborted.close();

// 3. Set a timeout.
const late = query(prompt, { ...options, timeoutMs: 300 });
try {
  await late.text();
} catch (error) {
  if (!isCoxswainError(error, 'timeout')) throw error;
  console.log(`too late: ${error.kind} ran out after ${error.ms} ms`);
}
await late.close();
