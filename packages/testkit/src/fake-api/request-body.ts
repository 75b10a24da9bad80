/** A parsed JSON object whose fields are checked where they are read. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** One `tool_result` block of a request. */
export interface ToolResult {
  readonly toolUseId: string;
  readonly text: string;
  readonly isError: boolean;
}

/** The system prompt as one text. */
export function systemText(body: JsonObject): string {
  return textOf(body.system);
}

/** The names of the tools offered to the model. */
export function toolNames(body: JsonObject): string[] {
  const tools = Array.isArray(body.tools) ? body.tools : [];
  return tools.filter(isRecord).map((tool) => String(tool.name));
}

/** What the user typed last: reminders and command echoes that the CLI adds are left out. */
export function lastUserText(body: JsonObject): string {
  const typed = userMessages(body).flatMap((message) =>
    contentBlocks(message.content)
      .filter((block) => block.type === 'text')
      .map((block) => String(block.text).trim())
      .filter((value) => value !== '' && !ADDED_BY_CLI.test(value)),
  );
  return typed.at(-1) ?? '';
}

/** The tool results in the newest user message. */
export function toolResults(body: JsonObject): ToolResult[] {
  return contentBlocks(userMessages(body).at(-1)?.content)
    .filter((block) => block.type === 'tool_result')
    .map((block) => ({
      toolUseId: String(block.tool_use_id),
      text: textOf(block.content),
      isError: block.is_error === true,
    }));
}

/** A message's content as blocks, whether it was sent as text or as a list. */
export function contentBlocks(content: unknown): JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isRecord) : [];
}

/** Whether a value is an object that is not a list. */
export function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const ADDED_BY_CLI = /^<(system-reminder|local-command-|command-)/;

function userMessages(body: JsonObject): JsonObject[] {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  return messages.filter(isRecord).filter((message) => message.role === 'user');
}

function textOf(content: unknown): string {
  return contentBlocks(content)
    .filter((block) => block.type === 'text')
    .map((block) => String(block.text))
    .join('\n');
}
