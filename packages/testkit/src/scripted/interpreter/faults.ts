import type { Fault, FaultMoment, OutputPipe } from '../fault-data.ts';
import type { Conversation } from './conversation.ts';
import type { Effect } from './effects.ts';
import { holdsInRun } from './rules.ts';

/** Plays a fault. */
export function misbehave(conversation: Conversation, fault: Fault): void {
  const { effects, misbehaviour } = conversation;
  switch (fault.fault) {
    case 'message':
      conversation.emit(fault.message);
      break;
    case 'text':
      effects.push({ effect: 'write', text: fault.text });
      break;
    case 'bytes':
      effects.push({ effect: 'write-bytes', base64: fault.base64 });
      break;
    case 'stderr':
      effects.push({ effect: 'stderr', text: fault.text });
      break;
    case 'flood':
      flood(conversation, fault.to, fault.count, fault.bytes);
      break;
    case 'endless-line':
      effects.push({
        effect: 'endless-line',
        to: fault.to,
        head: lineHead(conversation, fault.to),
        bytes: fault.bytes,
      });
      break;
    case 'output':
      effects.push({ effect: 'manner', manner: fault.manner });
      break;
    case 'answers':
      misbehaviour.answers.set(fault.to, fault);
      break;
    case 'results':
      misbehaviour.results = fault;
      break;
    case 'fields':
      misbehaviour.fields = fault.fields;
      break;
    case 'ignore':
      for (const what of fault.what) conversation.ignored.add(what);
      break;
    case 'exit':
      conversation.exit(fault.code, { orderly: false });
      break;
    case 'crash':
      if (!conversation.ended) effects.push({ effect: 'crash', signal: fault.signal });
      conversation.ended = true;
      break;
    default:
      effects.push(fault.fault === 'close' ? { effect: 'close', what: fault.what } : processEffect(fault));
  }
}

/** Plays the faults for this moment. */
export function reach(conversation: Conversation, moment: FaultMoment): void {
  const { faults } = conversation.script;
  if (faults.length === 0 || conversation.ended) return;
  const times = (conversation.moments.get(moment) ?? 0) + 1;
  conversation.moments.set(moment, times);
  for (const rule of faults) {
    if (rule.when !== moment || !holdsInRun(conversation, rule)) continue;
    if (rule.nth === null || rule.nth === times) misbehave(conversation, rule.fault);
  }
}

function processEffect(fault: Extract<Fault, { fault: 'hold-pipe' | 'deaf' }>): Effect {
  return fault.fault === 'deaf' ? { effect: 'deaf' } : { effect: 'hold-pipe', ms: fault.ms };
}

function lineHead({ sessionId }: Conversation, to: OutputPipe): string {
  if (to === 'stderr') return '';
  return `{"type":"assistant","session_id":"${sessionId}","message":{"role":"assistant","content":"`;
}

/** Writes messages that differ only in the number at the start of their text, so that they are cheap to create. */
function flood(conversation: Conversation, to: OutputPipe, count: number, bytes: number): void {
  const { sessionId, model } = conversation;
  const message = `{"type":"assistant","parent_tool_use_id":null,"session_id":"${sessionId}","uuid":"${conversation.world.newId()}","message":{"id":"msg_flood","type":"message","role":"assistant","model":"${model}","stop_reason":null,"content":[{"type":"text","text":"`;
  const [head, end] = to === 'stdout' ? [message, '"}]}}\n'] : ['', '\n'];
  const tail = `${' '.padEnd(Math.max(1, bytes - head.length - end.length - 8), 'x')}${end}`;
  conversation.effects.push({ effect: 'flood', to, count, head, tail });
}
