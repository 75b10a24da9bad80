/** One event of a stream of server-sent events. */
export interface SentEvent {
  /** Empty if the server sent none. */
  readonly id: string;
  readonly data: string;
}

/** The events in the body of a response. Calls `onData` for all data that arrives. Leaving the loop closes the connection. */
export async function* readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onData: () => void,
): AsyncGenerator<SentEvent> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  /** The chunks of an incomplete event; joined once, because it may be large. */
  let pieces: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onData();
      pieces.push(value);
      // The end of an event may be split between two chunks.
      if (!value.includes('\n\n') && !(value.startsWith('\n') && pieces.at(-2)?.endsWith('\n'))) continue;
      const blocks = pieces.join('').split('\n\n');
      pieces = [blocks.pop() ?? ''];
      for (const block of blocks) {
        const event = eventIn(block);
        if (event !== undefined) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** A block without data is a heartbeat, or the delay before a retry. */
function eventIn(block: string): SentEvent | undefined {
  let id = '';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^(\w+): ?(.*)$/s.exec(line) ?? [];
    if (name === 'id') id = value;
    if (name === 'data') data.push(value);
  }
  return data.length === 0 ? undefined : { id, data: data.join('\n') };
}
