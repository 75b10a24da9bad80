import { createHash } from 'node:crypto';
import type { PermissionRequest } from 'coxswain';

/**
 * The id of a request for the page, safe in a URL for any request id of the CLI. It contains a digest of the requested action:
 * a restarted CLI may reuse an id, and an answer to the earlier request must not decide the new one.
 */
export function approvalId(conversation: string, request: PermissionRequest, redact: (text: string) => string): string {
  const { kind, toolName, input, suggestions } = request;
  // Redacted first: ids are visible, and a secret could be guessed from its digest.
  const asked = redact(JSON.stringify({ kind, toolName, input, suggestions }, inOrder));
  const digest = createHash('sha256').update(asked).digest('base64url').slice(0, 22);
  return `${placeOf(conversation, request.id)}~${digest}`;
}

/** The place of a request: the part of its id that a later request may reuse. */
export function placeOf(conversation: string, requestId: string): string {
  return `${conversation}~${requestId.replace(/[^\w-]/g, (sign) => `.${sign.charCodeAt(0).toString(16)}`)}`;
}

/** The place of the request with this approval id. */
export function placeIn(approval: string): string {
  return approval.slice(0, Math.max(0, approval.lastIndexOf('~')));
}

/** Sorts fields: a database may return the fields of an object in a different order. */
function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
