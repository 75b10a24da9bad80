import { isObject } from '@coxswain/shared/is-object';
import { contentBlocks, type JsonObject } from './request-body.ts';

/**
 * What the CLI makes a request for. `main` is the conversation, `subagent` one of its agents; the others are side requests
 * that never belong to a scripted conversation.
 */
export type RequestKind =
  | 'main'
  | 'subagent'
  | 'compaction'
  | 'side-question'
  | 'suggestion'
  | 'title'
  | 'web-search'
  | 'model-check'
  | 'count-tokens'
  | 'other';

/** Tells a request of the main conversation from the CLI's other requests, by what 2.1.197 and 2.1.325 send. */
export function kindOf(method: string, path: string, headers: Headers, body: JsonObject): RequestKind {
  if (method !== 'POST') return 'other';
  if (path === '/v1/messages/count_tokens') return 'count-tokens';
  if (path !== '/v1/messages') return 'other';

  const tools = Array.isArray(body.tools) ? body.tools.filter(isObject) : [];
  if (body.max_tokens === 1) return 'model-check';
  if (tools.length === 1 && String(tools[0]?.type).startsWith('web_search')) return 'web-search';
  if (tools.length === 0 && isObject(body.output_config) && 'format' in body.output_config) return 'title';
  if (headers['x-claude-code-agent-id'] !== undefined) return 'subagent';
  return kindByInstruction(body) ?? 'main';
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

// These side requests share system prompt, tools and history with the conversation; only their last instruction differs.
const INSTRUCTIONS: readonly (readonly [string, RequestKind])[] = [
  ['CRITICAL: Respond with TEXT ONLY', 'compaction'],
  ['<system-reminder>This is a side question', 'side-question'],
  ['[SUGGESTION MODE:', 'suggestion'],
];

function kindByInstruction(body: JsonObject): RequestKind | undefined {
  const messages = Array.isArray(body.messages) ? body.messages.filter(isObject) : [];
  const newest = messages.findLast((message) => message.role === 'user');
  const texts = contentBlocks(newest?.content).map((block) => String(block.text ?? ''));
  return INSTRUCTIONS.find(([start]) => texts.some((value) => value.startsWith(start)))?.[1];
}
