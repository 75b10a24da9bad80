import type { ReplyIds } from './ids.ts';
import type { Pace, ReplyStep, StopReason, Usage } from './reply.ts';

/** The next action of the server while it streams a reply. */
export type StreamAction =
  | { readonly type: 'event'; readonly event: { readonly type: string } & Readonly<Record<string, unknown>> }
  | { readonly type: 'pause'; readonly ms: number }
  | { readonly type: 'wait'; readonly promise: Promise<unknown> }
  | { readonly type: 'cut' };

/** The events of a streamed message, in the order of the real API. */
export function* streamActions(steps: readonly ReplyStep[], model: string, ids: ReplyIds): Generator<StreamAction> {
  const { counts, stop } = summary(steps);
  yield event('message_start', {
    message: { ...emptyMessage(model, ids), usage: { ...counts, output_tokens: 1 } },
  });
  yield event('ping', {});
  let index = 0;
  for (const [at, step] of steps.entries()) {
    if (step.type === 'delay') yield { type: 'pause', ms: step.ms };
    else if (step.type === 'until') yield { type: 'wait', promise: step.promise };
    else if (step.type === 'cut') return yield { type: 'cut' };
    else if (step.type === 'stream_error') {
      return yield event('error', { error: { type: step.errorType, message: step.message } });
    } else {
      const block = blockOf(step, ids);
      if (block === undefined) continue;
      yield event('content_block_start', { index, content_block: block.start });
      yield* deltas(index, block);
      const next = steps[at + 1]?.type;
      if (next !== 'cut' && next !== 'stream_error') yield event('content_block_stop', { index });
      index += 1;
    }
  }
  yield event('message_delta', {
    delta: { stop_reason: stop, stop_sequence: null },
    usage: { output_tokens: counts.output_tokens },
  });
  yield event('message_stop', {});
}

/** The message as one object, for a request without streaming. */
export function wholeMessage(steps: readonly ReplyStep[], model: string, ids: ReplyIds): object {
  const { counts, stop } = summary(steps);
  const content = steps.map((step) => blockOf(step, ids)?.whole).filter((block) => block !== undefined);
  return { ...emptyMessage(model, ids), content, stop_reason: stop, usage: counts };
}

interface Block {
  readonly whole: object;
  readonly start: object;
  readonly pace: Pace;
  readonly deltas: readonly (readonly [type: string, field: string, value: string])[];
}

function blockOf(step: ReplyStep, ids: ReplyIds): Block | undefined {
  switch (step.type) {
    case 'text': {
      const { type, text } = step;
      return { whole: { type, text }, start: { type, text: '' }, pace: step, deltas: [['text_delta', 'text', text]] };
    }
    case 'thinking': {
      const { type, thinking, signature } = step;
      return {
        whole: { type, thinking, signature },
        start: { type, thinking: '', signature: '' },
        pace: step,
        deltas: [
          ['thinking_delta', 'thinking', thinking],
          ['signature_delta', 'signature', signature],
        ],
      };
    }
    case 'redacted_thinking':
      return { whole: step, start: step, pace: {}, deltas: [] };
    case 'tool_use': {
      const { type, name, input, id = ids.toolUse() } = step;
      return {
        whole: { type, id, name, input },
        start: { type, id, name, input: {} },
        pace: step,
        deltas: [['input_json_delta', 'partial_json', JSON.stringify(input)]],
      };
    }
    default:
      return undefined;
  }
}

function* deltas(index: number, { deltas, pace }: Block): Generator<StreamAction> {
  for (const [type, field, value] of deltas) {
    const pieces = type === 'signature_delta' ? [value] : cutUp(value, pace.chunkSize);
    for (const piece of pieces) {
      if (pace.everyMs !== undefined) yield { type: 'pause', ms: pace.everyMs };
      yield event('content_block_delta', { index, delta: { type, [field]: piece } });
    }
  }
}

// About twenty pieces for any length, so that a long text is cheap.
function cutUp(value: string, chunkSize = Math.max(16, Math.ceil(value.length / 20))): string[] {
  const pieces: string[] = [];
  let from = 0;
  while (from < value.length) {
    let to = from + chunkSize;
    if (/[\uD800-\uDBFF]/.test(value.charAt(to - 1))) to += 1;
    pieces.push(value.slice(from, to));
    from = to;
  }
  return pieces;
}

function summary(steps: readonly ReplyStep[]): { counts: Required<Usage>; stop: StopReason } {
  const counts = { ...DEFAULT_USAGE };
  let stop: StopReason = steps.some((step) => step.type === 'tool_use') ? 'tool_use' : 'end_turn';
  for (const step of steps) {
    if (step.type === 'usage') Object.assign(counts, step.usage);
    if (step.type === 'stop_reason') stop = step.reason;
  }
  return { counts, stop };
}

const DEFAULT_USAGE: Required<Usage> = {
  input_tokens: 10,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 5,
};

function emptyMessage(model: string, ids: ReplyIds): object {
  return {
    id: ids.message,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
}

function event(type: string, fields: Readonly<Record<string, unknown>>): StreamAction {
  return { type: 'event', event: { type, ...fields } };
}
