import { query, type SDKPartialAssistantMessage } from '@anthropic-ai/claude-agent-sdk';

export function textOf({ event }: SDKPartialAssistantMessage): string {
  if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') return event.delta.text;
  if (event.type === 'message_start') return event.message.id;
  if (event.type === 'content_block_start' && event.content_block.type === 'tool_use') return event.content_block.name;
  if (event.type === 'message_stop') return event.delta.text; // wrong
  return event.text; // wrong
}

for await (const message of query({ prompt: 'Hello.', options: { includePartialMessages: true } })) {
  if (message.type === 'stream_event') process.stdout.write(textOf(message));
  if (message.type === 'assistant') textOf(message); // wrong
}
