import type { FaultStep } from '../script-data.ts';
import type { Conversation } from './conversation.ts';

/** Misbehaves as a step says. */
export function misbehave(conversation: Conversation, step: FaultStep): void {
  const { effects } = conversation;
  switch (step.step) {
    case 'message':
      conversation.emit(step.message);
      break;
    case 'text':
      effects.push({ effect: 'write', text: step.text });
      break;
    case 'bytes':
      effects.push({ effect: 'write-bytes', base64: step.base64 });
      break;
    case 'stderr':
      effects.push({ effect: 'stderr', text: step.text });
      break;
    case 'flood':
      flood(conversation, step.count, step.bytes);
      break;
    case 'endless-line':
      effects.push({ effect: 'endless-line', head: lineHead(conversation), bytes: step.bytes });
      break;
    case 'ignore':
      for (const what of step.what) conversation.ignored.add(what);
      break;
    case 'hold-pipe':
      effects.push({ effect: 'hold-pipe', ms: step.ms });
      break;
    case 'close-stdout':
      effects.push({ effect: 'close-stdout' });
      break;
    case 'exit':
      conversation.exit(step.code);
      break;
    case 'crash':
      effects.push({ effect: 'crash', signal: step.signal });
      conversation.ended = true;
  }
}

function lineHead({ sessionId }: Conversation): string {
  return `{"type":"assistant","session_id":"${sessionId}","message":{"role":"assistant","content":"`;
}

/** Messages that differ only in the number at the head of their text, so that they can be made at full speed. */
function flood(conversation: Conversation, count: number, bytes: number): void {
  const { sessionId, model } = conversation;
  const head = `{"type":"assistant","parent_tool_use_id":null,"session_id":"${sessionId}","uuid":"${conversation.world.newId()}","message":{"id":"msg_flood","type":"message","role":"assistant","model":"${model}","stop_reason":null,"content":[{"type":"text","text":"`;
  const end = '"}]}}\n';
  const tail = `${' '.padEnd(Math.max(1, bytes - head.length - end.length - 8), 'x')}${end}`;
  conversation.effects.push({ effect: 'flood', count, head, tail });
}
