import { isObject } from '@coxswain/shared/is-object';
import {
  type ApiTurn,
  deferredTools,
  type JsonObject,
  lastUserText,
  systemText,
  type ToolDefinition,
  type ToolResult,
  toolDefinitions,
  toolResults,
  turns,
} from './request-body.ts';
import { kindOf, type RequestKind } from './request-kind.ts';

/** One recorded HTTP request of the CLI. */
export interface ApiRequest {
  /** Its number in the order of arrival, from 1. */
  readonly seq: number;
  /** Milliseconds since the server started. */
  readonly at: number;
  readonly method: string;
  /** Without the query string. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed body; `{}` if the request has none. */
  readonly body: JsonObject;
  readonly kind: RequestKind;
  /** False for subagents and for side requests such as titles, token counts and compaction. */
  readonly isMainConversation: boolean;
  readonly model: string;
  readonly stream: boolean;
  readonly maxTokens: number | undefined;
  /** The thinking settings, in the API's own fields. */
  readonly thinking: JsonObject | undefined;
  /** The betas requested in the header `anthropic-beta`. */
  readonly betas: readonly string[];
  /** The system prompt as one text. */
  readonly system: string;
  /** The names of the tools offered to the model. */
  readonly tools: readonly string[];
  /** The same tools with the definitions that the model reads. */
  readonly toolDefinitions: readonly ToolDefinition[];
  /** The names of the deferred tools, which the model has to search for; newer releases defer most tools. */
  readonly deferredTools: readonly string[];
  /** The conversation so far, oldest message first. */
  readonly turns: readonly ApiTurn[];
  /** The last text of the user, without the reminders that the CLI adds. */
  readonly lastUserText: string;
  /** The tool results of its last message. */
  readonly toolResults: readonly ToolResult[];
  readonly sessionId: string | undefined;
  /** The subagent that makes the request. */
  readonly agentId: string | undefined;
  /** `cut`: the script ended the reply early; `aborted`: the CLI closed the connection before the reply was complete. */
  readonly state: 'open' | 'answered' | 'cut' | 'aborted';
}

/** The same record, writable for its owner, which records how the request ended. */
export type OpenRequest = { -readonly [K in keyof ApiRequest]: ApiRequest[K] };

/** Creates the record of a request; a body other than a JSON object counts as empty. */
export function recordRequest(arrived: {
  readonly seq: number;
  readonly at: number;
  readonly method: string;
  readonly url: string;
  readonly headers: ApiRequest['headers'];
  readonly body: string;
}): OpenRequest {
  const { seq, at, method, headers } = arrived;
  const path = arrived.url.replace(/\?.*$/, '');
  const body = parse(arrived.body);
  const kind = kindOf(method, path, headers, body);
  const offered = toolDefinitions(body);
  return {
    seq,
    at,
    method,
    path,
    headers,
    body,
    kind,
    isMainConversation: kind === 'main',
    model: typeof body.model === 'string' ? body.model : '',
    stream: body.stream === true,
    maxTokens: typeof body.max_tokens === 'number' ? body.max_tokens : undefined,
    thinking: isObject(body.thinking) ? body.thinking : undefined,
    betas: (header(headers, 'anthropic-beta') ?? '').split(',').filter((beta) => beta !== ''),
    system: systemText(body),
    tools: offered.map(({ name }) => name),
    deferredTools: deferredTools(body),
    toolDefinitions: offered,
    turns: turns(body),
    lastUserText: lastUserText(body),
    toolResults: toolResults(body),
    sessionId: header(headers, 'x-claude-code-session-id'),
    agentId: header(headers, 'x-claude-code-agent-id'),
    state: 'open',
  };
}

function parse(body: string): JsonObject {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function header(headers: ApiRequest['headers'], name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
