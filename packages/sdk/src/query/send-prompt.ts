import type { Transport } from '../process/transport.ts';
import { encodeLine, userFrame } from '../wire/encode.ts';
import type { UserContent } from '../wire/messages.ts';

/** Gives a one-shot CLI its prompt and closes its stdin: text as it is, content blocks as one frame. */
export async function sendPrompt(transport: Transport, prompt: UserContent): Promise<void> {
  await transport.write(typeof prompt === 'string' ? prompt : encodeLine(userFrame(prompt)));
  await transport.endInput();
}
