import type { ApiRequest } from '@coxswain/testkit';

/** The conversation that a request shows to the model: a line for each block, without the reminders of the CLI. */
export function historyOf(request: ApiRequest | undefined): string[] {
  const messages: unknown = request?.body.messages;
  if (!Array.isArray(messages)) return [];
  return messages
    .filter(({ role }) => role !== 'system')
    .flatMap((message, nth) =>
      blocksOf(message).flatMap((block) => lineOf(block).map((line) => `${nth} ${message.role}: ${line}`)),
    );
}

function blocksOf({ content }: { content: unknown }): Record<string, unknown>[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : Object(content);
}

function lineOf(block: Record<string, unknown>): string[] {
  const { type } = block;
  if (type === 'text') return plain(String(block.text)) === '' ? [] : [plain(String(block.text))];
  if (type === 'thinking') return [`thinking ${block.thinking} ${block.signature}`];
  if (type === 'tool_use') return [`${block.name} ${block.id}`];
  if (type === 'tool_result')
    return [`result of ${block.tool_use_id}${block.is_error ? ', error' : ''}: ${resultText(block.content)}`];
  return [String(type)];
}

function resultText(content: unknown): string {
  return typeof content === 'string'
    ? plain(content)
    : plain(
        blocksOf({ content })
          .map(({ text }) => text)
          .join(' '),
      );
}

function plain(text: string): string {
  return text
    .replaceAll(/<system-reminder>.*?<\/system-reminder>/gs, '')
    .trim()
    .slice(0, 120);
}
