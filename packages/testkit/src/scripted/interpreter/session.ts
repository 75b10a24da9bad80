import { type JsonObject, objectOf, objectsIn } from '../../json.ts';
import { handleControlRequest } from './control.ts';
import type { Conversation } from './conversation.ts';
import { continueDeferred } from './deferred-turn.ts';
import { lifecycle } from './endings.ts';
import { addServer, serversOnArgv } from './mcp.ts';
import { answer } from './requests.ts';
import { failStart, resumeProblem } from './resume.ts';
import { serve } from './serve.ts';
import { reportState } from './session-state.ts';
import type { Program } from './tasks.ts';
import type { QueuedPrompt } from './turn.ts';

/** Stream-json mode: prompts and control frames arrive line by line while stdin is open. */
export function* session(conversation: Conversation): Program {
  const problem = resumeProblem(conversation);
  if (problem !== undefined) return failStart(conversation, problem);
  for (const name of serversOnArgv(conversation)) addServer(conversation, name);
  yield* continueDeferred(conversation);
  yield* serve(conversation);
}

/** Handles one line of stdin. An invalid line ends the CLI. */
export function takeLine(conversation: Conversation, line: string): void {
  if (line.trim() === '') return;
  const parsed = parse(line);
  if (!parsed.ok) {
    die(conversation, `Error parsing streaming input line (type=unknown, ${line.length} chars): SyntaxError`);
    return;
  }
  const frame = objectOf(parsed.value);
  if (frame === undefined) return;
  conversation.record({ kind: 'frame', frame });
  if (frame.type === 'user') takePrompt(conversation, frame);
  else if (frame.type === 'control_response') answer(conversation, frame);
  else if (frame.type === 'control_request') takeRequest(conversation, frame);
}

function parse(line: string): { ok: true; value: unknown } | { ok: false } {
  try {
    return { ok: true, value: JSON.parse(line) };
  } catch {
    return { ok: false };
  }
}

function takePrompt(conversation: Conversation, frame: JsonObject): void {
  const message = objectOf(frame.message);
  if (message?.role !== 'user') {
    die(conversation, `Error: Expected message role 'user', got '${message?.role}'`);
    return;
  }
  const uuid = typeof frame.uuid === 'string' ? frame.uuid : undefined;
  if (uuid !== undefined) {
    // A repeated prompt is answered once.
    if (conversation.knownUuids.has(uuid)) return;
    conversation.knownUuids.add(uuid);
  }
  const content = contentOf(message.content);
  conversation.prompts.push({ uuid, content, text: textOf(content), timestamp: conversation.timestamp() });
  if (conversation.turn === undefined) reportState(conversation, 'running');
  lifecycle(conversation, uuid, 'queued');
  conversation.tasks.notify('work');
}

function contentOf(content: unknown): QueuedPrompt['content'] {
  return Array.isArray(content) ? objectsIn(content) : String(content ?? '');
}

function textOf(content: QueuedPrompt['content']): string {
  if (typeof content === 'string') return content;
  return content.map(({ text }) => (typeof text === 'string' ? text : '')).join('\n');
}

function takeRequest(conversation: Conversation, frame: JsonObject): void {
  const request = objectOf(frame.request);
  if (request === undefined) die(conversation, 'Error: Missing request on control_request');
  else handleControlRequest(conversation, frame.request_id, request);
}

function die(conversation: Conversation, lastWords: string): void {
  conversation.stderr(lastWords);
  conversation.exit(1);
}
