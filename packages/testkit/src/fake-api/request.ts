import {
  isRecord,
  type JsonObject,
  lastUserText,
  systemText,
  type ToolResult,
  toolNames,
  toolResults,
} from './request-body.ts';
import { kindOf, type RequestKind } from './request-kind.ts';

/** One recorded HTTP request of the CLI. */
export interface ApiRequest {
  /** Counts from 1 in order of arrival. */
  readonly seq: number;
  /** Milliseconds since the server started. */
  readonly at: number;
  readonly method: string;
  /** Without the query string. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed body; `{}` when there was none. */
  readonly body: JsonObject;
  readonly kind: RequestKind;
  /** False for subagents and for asides such as titles, token counts and compaction. */
  readonly isMainConversation: boolean;
  readonly model: string;
  readonly stream: boolean;
  readonly system: string;
  readonly tools: readonly string[];
  /** What the user typed last, without the reminders the CLI adds. */
  readonly lastUserText: string;
  /** The tool results this request brings. */
  readonly toolResults: readonly ToolResult[];
  readonly sessionId: string | undefined;
  /** The subagent that asks. */
  readonly agentId: string | undefined;
  /** `cut`: the script broke the reply off; `aborted`: the CLI hung up before it was complete. */
  readonly state: 'open' | 'answered' | 'cut' | 'aborted';
}

/** The same record for its owner, who notes how the request ended. */
export type OpenRequest = { -readonly [K in keyof ApiRequest]: ApiRequest[K] };

/** Makes the record of a request; a body that is not a JSON object counts as empty. */
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
    system: systemText(body),
    tools: toolNames(body),
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
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function header(headers: ApiRequest['headers'], name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
