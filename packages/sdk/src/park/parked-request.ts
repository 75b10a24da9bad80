import type { PermissionAnswer } from '../callbacks/check-answer.ts';
import type { PermissionRequest } from '../callbacks/permission-request.ts';
import type { Report } from '../errors/options.ts';
import { copyOfJson } from '../redacted-data.ts';
import { isJsonObject, type JsonObject } from '../wire/kinds.ts';
import type { PermissionMode } from '../wire/permission-mode.ts';
import { isCallId } from './open-calls.ts';

/**
 * A permission request whose CLI was ended before it was answered. Plain JSON: store it, and resume the turn with it on
 * any machine.
 */
export interface ParkedRequest {
  /** The conversation in the session store. */
  readonly sessionId: string;
  readonly request: PermissionRequest;
  /** Identifies what was requested; see `requestHash()`. */
  readonly hash: string;
  /** The permission mode in which it was requested; the session that resumes it starts in this mode. */
  readonly permissionMode?: PermissionMode | undefined;
  /** The model of the turn, if it is not the default one. */
  readonly model?: string | undefined;
  /** In ms since the epoch. */
  readonly parkedAt?: number | undefined;
}

/** A parked request that a session resumes. */
export interface ResumedRequest extends ParkedRequest {
  /** The answer, if there is one. Otherwise `canUseTool` is called again. */
  readonly answer?: PermissionAnswer | undefined;
}

/**
 * Identifies the content of a permission request: the SHA-256 hash, in hex, of the canonical JSON (sorted keys) of
 * `toolName`, `input` and `toolUseId`. Show it to the person who answers, and compare it before you accept the answer.
 */
export function requestHash({ toolName, input, toolUseId }: Asked): string {
  return sha256(canonicalJson({ toolName, input, toolUseId: toolUseId ?? null }));
}

/** What the hash covers. */
interface Asked {
  readonly toolName: string;
  readonly input: unknown;
  readonly toolUseId?: string | undefined;
}

/** The SHA-256 hash of a text, in hex. */
export function sha256(text: string): string {
  // Loaded on demand: most programs never need it.
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex');
}

/** Whether a request of the resumed conversation is the parked one. */
export function isSameRequest(parked: ParkedRequest, asked: PermissionRequest): boolean {
  // The CLI reads a plan from a file of its configuration directory, which a resumed conversation does not have.
  if (asked.kind === 'plan') return asked.toolName === parked.request.toolName;
  return requestHash(asked) === parked.hash;
}

/** Checks and copies a parked request that was stored elsewhere; undefined if it cannot be used. */
export function checkParked(given: unknown, report: Report): ResumedRequest | undefined {
  // A copy: what the caller changes after the check has no effect.
  const copy: unknown = isJsonObject(given) ? copyOfJson(given) : undefined;
  if (!isJsonObject(copy)) {
    report('parked', 'must be what session.park() returned.');
    return undefined;
  }
  const unknown = Object.keys(copy).find((name) => !FIELDS.has(name));
  if (unknown !== undefined) report(`parked.${unknown.slice(0, 80)}`, 'is not a field of a parked request.');
  return isParked(copy, report) ? copy : undefined;
}

/** Does not check the mode, the model and the answer, which are checked later as options. */
function isParked(copy: JsonObject, report: Report): copy is JsonObject & ResumedRequest {
  const { sessionId, request, hash, parkedAt } = copy;
  if (typeof sessionId !== 'string' || sessionId === '')
    report('parked.sessionId', 'must be the id of a conversation.');
  else if (!isRequest(request)) report('parked.request', 'must be a permission request with a toolUseId.');
  else if (hash !== requestHash(request)) report('parked.hash', 'does not match the request: one of them was changed.');
  else if (parkedAt !== undefined && typeof parkedAt !== 'number') report('parked.parkedAt', 'must be a time in ms.');
  else return true;
  return false;
}

function isRequest(value: unknown): value is PermissionRequest {
  if (!isJsonObject(value)) return false;
  const { toolName, toolUseId, input, kind } = value;
  return typeof toolName === 'string' && isCallId(toolUseId) && typeof kind === 'string' && isJsonObject(input);
}

const FIELDS: ReadonlySet<string> = new Set<keyof ResumedRequest>([
  'sessionId',
  'request',
  'hash',
  'permissionMode',
  'model',
  'parkedAt',
  'answer',
]);

/** JSON with sorted keys, because a store may change their order. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, found: unknown) => {
    // A CLI that resumes a conversation may have replaced lone surrogates.
    if (typeof found === 'string') return found.replace(/\p{Surrogate}/gu, '\ufffd');
    return isJsonObject(found) ? sorted(found) : found;
  });
}

function sorted(object: JsonObject): JsonObject {
  // Entries, not assignments: an input may have a key `__proto__`.
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
