import { isObject } from '@coxswain/shared/is-object';

/** A parsed JSON object whose fields are checked where they are read. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** One `tool_result` block of a request. */
export interface ToolResult {
  readonly toolUseId: string;
  /** The called tool, if the call is in the request. */
  readonly toolName: string | undefined;
  readonly text: string;
  readonly isError: boolean;
}

/** One tool call of the model, repeated by a request. */
export interface ToolUse {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
}

/** One message of the conversation in a request. */
export interface ApiTurn {
  readonly role: string;
  /** The text; for a message of the user without the reminders that the CLI adds. */
  readonly text: string;
  readonly toolUses: readonly ToolUse[];
  readonly toolResults: readonly ToolResult[];
}

/** One tool offered to the model. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** Empty for a tool that the API runs itself. */
  readonly inputSchema: JsonObject;
}

/** The system prompt as one text. */
export function systemText(body: JsonObject): string {
  return textOf(body.system);
}

/** The tools offered to the model. */
export function toolDefinitions(body: JsonObject): ToolDefinition[] {
  const tools = Array.isArray(body.tools) ? body.tools : [];
  return tools.filter(isObject).map((tool) => ({
    name: String(tool.name),
    description: typeof tool.description === 'string' ? tool.description : '',
    inputSchema: isObject(tool.input_schema) ? tool.input_schema : {},
  }));
}

/**
 * The names of the tools that the CLI defers until the model searches for them. Newer releases defer most tools, including those of
 * MCP servers, and name them in a reminder.
 */
export function deferredTools(body: JsonObject): string[] {
  const textsOf = (role: string): string[] =>
    messagesOf(body, role).flatMap(({ content }) => contentBlocks(content).map(({ text }) => String(text)));
  const lists = [
    ...textsOf('user').flatMap((value) => DEFERRED.exec(value)?.[1] ?? []),
    ...textsOf('system').flatMap((value) => DEFERRED_IN_SYSTEM.exec(value)?.[1] ?? []),
  ];
  return [...new Set(lists.flatMap((list) => list.split('\n')).filter((name) => name !== ''))];
}

/** The last text of the user, without reminders and command echoes of the CLI. */
export function lastUserText(body: JsonObject): string {
  const typed = messagesOf(body, 'user').flatMap(({ content }) => typedTexts(content));
  return typed.at(-1) ?? '';
}

/** The tool results in the newest user message. */
export function toolResults(body: JsonObject): ToolResult[] {
  return resultsIn(messagesOf(body, 'user').at(-1)?.content, toolNamesById(body));
}

/** The whole conversation, oldest message first. */
export function turns(body: JsonObject): ApiTurn[] {
  const names = toolNamesById(body);
  return messagesOf(body).map(({ role, content }) => ({
    role: String(role),
    text: role === 'user' ? typedTexts(content).join('\n') : textOf(content),
    toolUses: usesIn(content),
    toolResults: resultsIn(content, names),
  }));
}

/** A message's content as blocks, whether it was sent as text or as a list. */
export function contentBlocks(content: unknown): JsonObject[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isObject) : [];
}

const DEFERRED =
  /^<system-reminder>\nThe following deferred tools are now available[^\n]*:\n([^<]*)<\/system-reminder>/;

/** 2.1.325 lists them in a message with the role `system`, between other paragraphs. */
const DEFERRED_IN_SYSTEM = /^The following deferred tools are now available[^\n]*:\n((?:[\w-]+(?:\n|$))+)/m;

const ADDED_BY_CLI = /^<(system-reminder|local-command-|command-)/;

function messagesOf(body: JsonObject, role?: string): JsonObject[] {
  const messages = Array.isArray(body.messages) ? body.messages.filter(isObject) : [];
  return role === undefined ? messages : messages.filter((message) => message.role === role);
}

function typedTexts(content: unknown): string[] {
  return contentBlocks(content)
    .filter((block) => block.type === 'text')
    .map((block) => String(block.text).trim())
    .filter((value) => value !== '' && !ADDED_BY_CLI.test(value));
}

function toolNamesById(body: JsonObject): ReadonlyMap<string, string> {
  const uses = messagesOf(body, 'assistant').flatMap(({ content }) => usesIn(content));
  return new Map(uses.map(({ id, name }) => [id, name]));
}

function usesIn(content: unknown): ToolUse[] {
  return contentBlocks(content)
    .filter((block) => block.type === 'tool_use')
    .map(({ id, name, input }) => ({ id: String(id), name: String(name), input: isObject(input) ? input : {} }));
}

function resultsIn(content: unknown, names: ReadonlyMap<string, string>): ToolResult[] {
  return contentBlocks(content)
    .filter((block) => block.type === 'tool_result')
    .map((block) => ({
      toolUseId: String(block.tool_use_id),
      toolName: names.get(String(block.tool_use_id)),
      text: textOf(block.content),
      isError: block.is_error === true,
    }));
}

function textOf(content: unknown): string {
  return contentBlocks(content)
    .filter((block) => block.type === 'text')
    .map((block) => String(block.text))
    .join('\n');
}
