import { type JsonObject, objectOf } from '../json.ts';

/** What the host wrote: a frame or plain text. */
export type Written = { readonly frame: JsonObject } | { readonly text: string };

/** The kind of a write, as loose matching compares it. */
export function kindOf(written: Written): string {
  if ('text' in written) return 'text';
  const { frame } = written;
  const subtype = objectOf(frame.request)?.subtype ?? frame.subtype;
  return [frame.type, subtype].filter((part) => typeof part === 'string').join(' ') || 'frame';
}

/** The request a frame answers; undefined for a frame that is not an answer. */
export function answeredRequest(frame: JsonObject): string | undefined {
  if (frame.type !== 'control_response') return undefined;
  const id = objectOf(frame.response)?.request_id ?? frame.request_id;
  return typeof id === 'string' ? id : undefined;
}

/** Describes a write of the host in a few words, for messages. */
export function describeWritten(written: Written, requests: ReadonlyMap<string, string>): string {
  if ('text' in written) return `the text ${quoted(written.text)}`;
  const { frame } = written;
  const answered = answeredRequest(frame);
  if (answered !== undefined) return `the answer to ${requests.get(answered) ?? `the request ${answered}`}`;
  if (frame.type === 'user') return `the user message ${quoted(promptOf(frame))}`;
  return `a ${kindOf(written)}`;
}

/** Describes a request of the CLI in a few words: `hook_callback PreToolUse (Bash)`. */
export function describeRequest(request: JsonObject): string {
  const input = objectOf(request.input);
  const what = input?.hook_event_name ?? objectOf(request.message)?.method;
  const tool = request.tool_name ?? input?.tool_name;
  return [request.subtype, what, typeof tool === 'string' ? `(${tool})` : undefined]
    .filter((part) => typeof part === 'string')
    .join(' ');
}

function promptOf(frame: JsonObject): string {
  const content = objectOf(frame.message)?.content;
  return typeof content === 'string' ? content : JSON.stringify(content ?? null);
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text);
}
