import { type JsonObject, objectOf } from '../../json.ts';
import type { Elicitation } from '../script-data.ts';
import type { Conversation } from './conversation.ts';
import { fireHooks } from './hooks.ts';
import { controlRequest } from './host-request.ts';
import { ask } from './requests.ts';
import { reportState } from './session-state.ts';
import type { Program } from './tasks.ts';
import type { Turn } from './turn.ts';

/** An MCP server asks the user a question: hooks may answer, otherwise the host does. */
export function* elicit(
  conversation: Conversation,
  turn: Turn,
  server: string,
  { message, schema }: Elicitation,
): Program {
  const question = { mcp_server_name: server, message, mode: 'form', requested_schema: schema };
  const verdict = yield* fireHooks(conversation, turn, 'Elicitation', { input: question });
  const answer = byHook(verdict.specific) ?? (yield* askHost(conversation, question, schema));
  const { action, content } = answer;
  const hookInput = { mcp_server_name: server, mode: 'form', action, ...(content !== undefined && { content }) };
  yield* fireHooks(conversation, turn, 'ElicitationResult', { input: hookInput });
  const words = `Elicitation response for server "${server}": ${action}`;
  const notice = { message: words, notification_type: 'elicitation_response' };
  // The answer of the hook is not awaited.
  conversation.tasks.start(fireHooks(conversation, turn, 'Notification', { input: notice }));
  conversation.record({ kind: 'elicitation', server, message, answer });
}

function* askHost(conversation: Conversation, question: JsonObject, schema: JsonObject): Program<JsonObject> {
  if (conversation.inputEnded) return { action: 'cancel' };
  const property_order = Object.keys(objectOf(schema.properties) ?? {});
  reportState(conversation, 'requires_action');
  const request = controlRequest(conversation, { subtype: 'elicitation', ...question, property_order });
  const answered = (): void => reportState(conversation, 'running');
  const reply = yield* ask(conversation, { ...request, answered }, null);
  const answer = reply.kind === 'answer' ? objectOf(reply.response) : undefined;
  return typeof answer?.action === 'string' ? answer : { action: 'cancel' };
}

function byHook(specific: JsonObject | undefined): JsonObject | undefined {
  return typeof specific?.action === 'string' ? specific : undefined;
}
