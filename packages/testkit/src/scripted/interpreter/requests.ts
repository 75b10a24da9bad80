import { type JsonObject, objectOf } from '../../json.ts';
import type { FaultMoment } from '../fault-data.ts';
import type { Conversation } from './conversation.ts';
import { reach } from './faults.ts';
import type { Reply, Request } from './host-request.ts';
import { type Program, timedOut } from './tasks.ts';

/** Asks the host and waits; once its input has ended, the host cannot answer. */
export function* ask(conversation: Conversation, request: Request, ms: number | null): Program<Reply> {
  if (conversation.inputEnded) return { kind: 'closed' };
  conversation.write(request.frame);
  conversation.asked.set(request.id, request);
  const moment = momentOf(request.frame);
  if (moment) reach(conversation, moment);
  try {
    const reply = yield { on: 'reply', request: request.id, ms };
    if (reply !== timedOut) {
      // Only `answer` and `closeRequests` resume this wait, both with a Reply.
      return reply as Reply;
    }
    request.withdraw();
    return { kind: 'timeout' };
  } finally {
    conversation.asked.delete(request.id);
  }
}

function momentOf({ request }: JsonObject): FaultMoment | undefined {
  const { subtype, message } = objectOf(request) ?? {};
  if (subtype === 'hook_callback') return 'hook';
  if (subtype === 'can_use_tool') return 'permission';
  return objectOf(message)?.method === 'tools/call' ? 'tool-call' : undefined;
}

/** Takes a `control_response`; one without a request is ignored. With replayed user messages it is echoed, too. */
export function answer(conversation: Conversation, frame: JsonObject): void {
  const response = objectOf(frame.response);
  const id = response?.request_id;
  if (typeof id === 'string') conversation.asked.get(id)?.answered?.();
  if (conversation.args.replayUserMessages) conversation.write(frame);
  if (response === undefined || typeof id !== 'string') return;
  const reply: Reply =
    response.subtype === 'error'
      ? { kind: 'error', error: String(response.error) }
      : { kind: 'answer', response: response.response };
  if (reply.kind === 'error' || conversation.asked.get(id)?.accepts(reply.response) === true) {
    conversation.tasks.reply(id, reply);
  }
}

/** Withdraws every request, because its turn has ended. */
export function withdrawRequests(conversation: Conversation): void {
  for (const request of [...conversation.asked.values()]) request.withdraw();
}

/** Fails every pending request, because the host can no longer answer. */
export function closeRequests(conversation: Conversation): void {
  for (const id of conversation.tasks.pending()) conversation.tasks.reply(id, { kind: 'closed' } satisfies Reply);
}
