import { isJsonObject, type JsonObject } from '../wire/kinds.ts';
import type { PermissionKind, PermissionRequest } from './request.ts';

/** A request that can be put to somebody, or what is wrong with it. */
export type DecodedPermission =
  | { readonly ok: true; readonly request: PermissionRequest }
  | { readonly ok: false; readonly problem: string };

/** Reads a `can_use_tool` request. Only the tool's name and an input are needed; anything else may be missing. */
export function decodePermission(id: string, raw: unknown): DecodedPermission {
  if (!isJsonObject(raw)) return { ok: false, problem: 'the request is no object' };
  const { tool_name: toolName, input } = raw;
  if (typeof toolName !== 'string') return { ok: false, problem: 'the request names no tool' };
  if (!isJsonObject(input)) return { ok: false, problem: 'the request has no input' };
  const request: unknown = {
    id,
    kind: kindOf(toolName),
    toolName,
    input,
    suggestions: Array.isArray(raw.permission_suggestions) ? raw.permission_suggestions : [],
    ...texts(raw),
    ...(isJsonObject(raw.mcp_server) ? { mcpServer: raw.mcp_server } : {}),
    ...(typeof raw.requires_user_interaction === 'boolean'
      ? { requiresUserInteraction: raw.requires_user_interaction }
      : {}),
    raw,
  };
  // The name decides the type of the input; as with messages, the CLI's word is taken for it.
  return { ok: true, request: request as PermissionRequest };
}

/** Texts that may be there: the CLI's name of each, and ours. */
const TEXTS = [
  ['tool_use_id', 'toolUseId'],
  ['blocked_path', 'blockedPath'],
  ['decision_reason', 'decisionReason'],
  ['decision_reason_type', 'decisionReasonType'],
  ['agent_id', 'agentId'],
  ['title', 'title'],
  ['display_name', 'displayName'],
  ['description', 'description'],
] as const;

function texts(raw: JsonObject): JsonObject {
  const found: Record<string, string> = {};
  for (const [wire, name] of TEXTS) {
    const value = raw[wire];
    if (typeof value === 'string') found[name] = value;
  }
  return found;
}

function kindOf(toolName: string): PermissionKind {
  if (toolName === 'AskUserQuestion') return 'question';
  return toolName === 'ExitPlanMode' ? 'plan' : 'tool';
}
