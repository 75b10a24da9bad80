import { isCoxswainError, outcomeOf, type QueryStream, textDeltaOf, toolResultsOf, toolUsesOf } from 'coxswain';

// #region adapter
/** A run as the stream that `useChat` of the AI SDK reads: the UI message stream protocol, version 1. */
export function toUIMessageStreamResponse(stream: QueryStream): Response {
  const parts = partsOf(stream);
  const body = new ReadableStream<string>({
    async pull(controller) {
      const { done, value } = await parts.next();
      controller.enqueue(`data: ${done ? '[DONE]' : JSON.stringify(value)}\n\n`);
      if (done) controller.close();
    },
    async cancel() {
      await stream.close(); // the browser has gone, or the user has pressed Stop
    },
  });
  const headers = {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'x-vercel-ai-ui-message-stream': 'v1',
  };
  return new Response(body.pipeThrough(new TextEncoderStream()), { headers });
}

interface Part {
  readonly type: string;
  readonly [field: string]: unknown;
}

async function* partsOf(stream: QueryStream): AsyncGenerator<Part, void> {
  yield { type: 'start' };
  let blocks = 0;
  let open = false;
  try {
    for await (const message of stream) {
      const delta = textDeltaOf(message);
      if (delta !== '') {
        if (!open) yield { type: 'text-start', id: `text-${++blocks}` };
        open = true;
        yield { type: 'text-delta', id: `text-${blocks}`, delta };
      }
      if (open && message.type === 'assistant') {
        open = false;
        yield { type: 'text-end', id: `text-${blocks}` };
      }
      for (const { id, name, input } of toolUsesOf(message))
        yield { type: 'tool-input-available', toolCallId: id, toolName: name, input, dynamic: true };
      for (const { tool_use_id: toolCallId, content, is_error } of toolResultsOf(message))
        yield is_error
          ? { type: 'tool-output-error', toolCallId, errorText: textIn(content), dynamic: true }
          : { type: 'tool-output-available', toolCallId, output: textIn(content), dynamic: true };
    }
    const outcome = outcomeOf(await stream.result());
    // Also an error is a part: the response has begun with status 200.
    if (outcome.kind !== 'completed') yield { type: 'error', errorText: outcome.kind };
  } catch (error) {
    yield { type: 'error', errorText: isCoxswainError(error) ? error.code : 'internal error' };
  }
  if (open) yield { type: 'text-end', id: `text-${blocks}` };
  yield { type: 'finish' };
}

function textIn(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
}
// #endregion
