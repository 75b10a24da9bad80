/** `app/api/chat/route.ts` of a Next.js project: `useChat` of the AI SDK in the browser talks to an agent. */
import { type AgentOptions, permissions, query } from 'coxswain';
import { z } from 'zod';
import { toUIMessageStreamResponse } from './ui-message-stream.ts';

// #region route
export const runtime = 'nodejs'; // not `edge`: an agent is a process
export const maxDuration = 300;

/** What `useChat` sends. */
const Chat = z.object({
  messages: z
    .array(z.object({ role: z.string(), parts: z.array(z.object({ type: z.string(), text: z.string().optional() })) }))
    .min(1),
});

/** Tests pass options that choose the CLI. A route of Next.js exports only `POST`: keep this function in another file. */
export async function answer(request: Request, options: AgentOptions = {}): Promise<Response> {
  const chat = Chat.safeParse(await request.json().catch(() => undefined));
  if (!chat.success) return new Response('Not a chat.', { status: 400 });
  const prompt = chat.data.messages
    .at(-1)
    ?.parts.map((part) => part.text ?? '')
    .join('');
  if (!prompt) return new Response('No prompt.', { status: 400 });
  const stream = query(prompt, {
    ...options,
    ...permissions({ allow: ['Read', 'Grep', 'Glob'], deny: ['Bash', 'Edit', 'Write', 'WebFetch'] }),
    permissionMode: 'dontAsk', // nobody waits behind a web page for an approval
    includePartialMessages: true,
    maxTurns: 20,
    timeoutMs: 290_000,
    signal: request.signal,
  });
  return toUIMessageStreamResponse(stream);
}

export const POST = (request: Request): Promise<Response> => answer(request);
// #endregion
