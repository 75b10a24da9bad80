import { createHash } from 'node:crypto';
import type { PermissionRequest } from 'coxswain';

/**
 * The id of a request for the page, safe in a URL whatever the CLI calls its requests. It also says what is asked for: a CLI that was
 * started again may reuse an id, and an answer to what was shown before must not decide what is asked for now.
 */
export function approvalId(conversation: string, request: PermissionRequest, redact: (text: string) => string): string {
  const { kind, toolName, input, suggestions } = request;
  // Without secrets: an id is shown to people, and could be tried out.
  const asked = redact(JSON.stringify({ kind, toolName, input, suggestions }, inOrder));
  const digest = createHash('sha256').update(asked).digest('base64url').slice(0, 22);
  return `${placeOf(conversation, request.id)}~${digest}`;
}

/** Where a request is asked: the part of its id that another request may have, too. */
export function placeOf(conversation: string, requestId: string): string {
  return `${conversation}~${requestId.replace(/[^\w-]/g, (sign) => `.${sign.charCodeAt(0).toString(16)}`)}`;
}

/** The same for the id of a request. */
export function placeIn(approval: string): string {
  return approval.slice(0, Math.max(0, approval.lastIndexOf('~')));
}

/** A database may keep the fields of an object in another order. */
function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
