/** Three ways to stop a run. None of them leaves a process behind: `close()` resolves when it is really gone. */
import { script } from '@coxswain/testkit';
import { query } from 'coxswain';
import { AbortError, TimeoutError } from 'coxswain/errors';
import { pickAgent } from './agent.ts';

const scripted = script().otherwise((turn) => turn.say('Counting: one, two, three …').silence());
await using agent = await pickAgent(scripted);
const prompt = agent.prompt ?? 'Count to a million, one number per line.';
const options = { cli: agent.cli, includePartialMessages: true };

// 1. Walk out of the loop.
const left = query(prompt, options);
for await (const message of left) {
  if (message.type === 'stream_event') break;
}
console.log(`left the loop: the CLI was ${(await left.close()).ended}`);

// 2. Pull the plug from outside, with a reason.
const controller = new AbortController();
const aborted = query(prompt, { ...options, signal: controller.signal });
try {
  for await (const message of aborted) {
    if (message.type === 'stream_event') controller.abort(new Error('changed my mind'));
  }
} catch (error) {
  if (!(error instanceof AbortError)) throw error;
  console.log(`aborted: ${error.cause instanceof Error ? error.cause.message : error.cause}`);
}
await aborted.close();

// 3. Give it only so much time.
const late = query(prompt, { ...options, timeoutMs: 300 });
try {
  await late.text();
} catch (error) {
  if (!(error instanceof TimeoutError)) throw error;
  console.log(`too late: ${error.kind} ran out after ${error.ms} ms`);
}
await late.close();
