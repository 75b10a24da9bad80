import type { JsonObject } from '../../json.ts';
import type { Conversation } from './conversation.ts';
import { type Program, sleep } from './tasks.ts';

/** Answers one request of the host. */
export interface Respond {
  success(response?: JsonObject, extra?: JsonObject): void;
  error(error: string, extra?: JsonObject): void;
}

/** Answers a request of the host, or misbehaves as scripted. */
export function sendAnswer(conversation: Conversation, subtype: string, response: JsonObject): void {
  const { answers } = conversation.misbehaviour;
  const fault = answers.get(subtype) ?? answers.get('*');
  const frame = { type: 'control_response', response };
  switch (fault?.how) {
    case 'missing':
      return;
    case 'late':
      conversation.tasks.start(later(conversation, frame, fault.ms));
      return;
    case 'error': {
      const failed = { subtype: 'error', request_id: response.request_id, error: 'The script makes this call fail.' };
      return conversation.write({ ...frame, response: failed });
    }
    case 'garbage':
      conversation.effects.push({ effect: 'write', text: `control_response: ${response.subtype}!\n` });
      return;
    case 'malformed':
      return conversation.write({ type: 'control_response', response: 'well' });
    case 'double':
      conversation.write(frame);
  }
  conversation.write(frame);
}

function* later(conversation: Conversation, frame: JsonObject, ms: number): Program {
  yield* sleep(ms);
  conversation.write(frame);
}
