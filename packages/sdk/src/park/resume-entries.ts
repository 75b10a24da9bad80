import type { ParkedProblem } from '../errors/park.ts';
import { field, stringField } from '../messages/fields.ts';
import type { StoreEntry } from '../store/session-store.ts';
import { blocksOf, type OpenCall, openCalls } from './open-calls.ts';
import { type ParkedRequest, sha256 } from './parked-request.ts';

/** How a transcript must be completed before a CLI resumes it. */
export interface Completion {
  /** Entries to store: results for calls that will never get another result. */
  readonly missing: readonly StoreEntry[];
  /** The entry that makes the CLI request the permission again. It is not stored, so that other resumes do not request it. */
  readonly marker: StoreEntry | undefined;
  /** Why the parked request cannot be resumed. */
  readonly problem: ParkedProblem | undefined;
}

/** The type of the note that an answer to a parked request was sent to a CLI. */
const ANSWERED = 'coxswain-answered';

/** Whether an answer allows the call. */
export type AnswerBehavior = 'allow' | 'deny';

/** The note that `sender` is about to answer a parked call. The first one for a call counts. */
export function answerNote(parked: ParkedRequest, sender: string, behavior: AnswerBehavior): StoreEntry {
  const { sessionId, request, hash } = parked;
  return { type: ANSWERED, sessionId, toolUseId: request.toolUseId, hash, behavior, sender };
}

/** Why `sender`, whose note is stored, must not write its answer to a call that it resumed. */
export function answerProblem(
  entries: readonly StoreEntry[],
  toolUseId: string,
  sender: string,
): ParkedProblem | undefined {
  if (firstNote(entries, toolUseId)?.sender !== sender) return 'answered';
  return problemOf(entries, toolUseId, openCalls(entries));
}

function firstNote(entries: readonly StoreEntry[], toolUseId: string): StoreEntry | undefined {
  return entries.find((entry) => isAnswerNote(entry) && entry.toolUseId === toolUseId);
}

/** True for entries that only this library reads. */
export function isAnswerNote({ type }: StoreEntry): boolean {
  return type === ANSWERED;
}

/**
 * Completes a transcript. Without a parked request, calls that may have run when their process ended get a result that
 * states this. With one, only the other open calls of its message get a result, and a marker makes the CLI request the
 * permission again.
 */
export function completeTranscript(
  entries: readonly StoreEntry[],
  parked: ParkedRequest | undefined,
  now: number,
): Completion {
  const open = openCalls(entries);
  const time = laterThan(entries, now);
  if (parked === undefined) {
    const answered = [...open.values()].filter(({ id }) => firstNote(entries, id) !== undefined);
    const missing = answered.map((call, index) => {
      const text = firstNote(entries, call.id)?.behavior === 'deny' ? DENIED : UNKNOWN;
      return resultOf(call, text, time + index);
    });
    return { missing, marker: undefined, problem: undefined };
  }
  const toolUseId = parked.request.toolUseId ?? '';
  const call = open.get(toolUseId);
  const isAnswered = call !== undefined && firstNote(entries, toolUseId) !== undefined;
  const problem = isAnswered ? 'answered' : problemOf(entries, toolUseId, open);
  // Nothing is added: another process may run the call at this moment.
  if (problem !== undefined || call === undefined) {
    return { missing: [], marker: undefined, problem: problem ?? 'not-found' };
  }
  const others = [...open.values()].filter(({ id, message }) => id !== toolUseId && message === call.message);
  const missing = others.map((other, index) => resultOf(other, NOT_RUN, time + index));
  // Strictly later than all others: 2.1.97 continues after the entry with the newest timestamp.
  const marker = markerOf(call, parked, time + others.length);
  return { missing, marker, problem: undefined };
}

/** The result that the model gets instead of the missing one. */
const NOT_RUN =
  'No result: the turn was parked while another call waited for a permission. Call it again if it is still needed.';
const UNKNOWN =
  'It is unknown whether this call ran: it was allowed, and the process ended before its result was stored. Check before you call it again.';
const DENIED = 'Permission denied. The call did not run, and the process ended before the denial could be read.';

function problemOf(
  entries: readonly StoreEntry[],
  toolUseId: string,
  open: ReadonlyMap<string, OpenCall>,
): ParkedProblem | undefined {
  const call = open.get(toolUseId);
  if (call === undefined) return entries.some((entry) => hasCall(entry, toolUseId)) ? 'finished' : 'not-found';
  const after = entries.slice(entries.indexOf(call.entry) + 1);
  return after.some((entry) => continues(entry, call)) ? 'superseded' : undefined;
}

function hasCall(entry: StoreEntry, toolUseId: string): boolean {
  return blocksOf(entry).some((block) => field(block, 'type') === 'tool_use' && field(block, 'id') === toolUseId);
}

/** True for a prompt, or another message of the model, after the call. */
function continues(entry: StoreEntry, call: OpenCall): boolean {
  if (entry.isSidechain === true || entry.isMeta === true) return false;
  if (entry.type === 'assistant') return stringField(entry.message, 'id') !== call.message;
  if (entry.type !== 'user') return false;
  return !blocksOf(entry).some((block) => field(block, 'type') === 'tool_result');
}

function resultOf(call: OpenCall, content: string, time: number): StoreEntry {
  return {
    ...placedAfter(call, 'result', time),
    type: 'user',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content, is_error: true }] },
    toolUseResult: content,
    sourceToolAssistantUUID: call.entry.uuid,
  };
}

/** The entry that the CLI itself writes for a call that a hook defers. The CLI takes the input from the call. */
function markerOf(call: OpenCall, { request, permissionMode }: ParkedRequest, time: number): StoreEntry {
  return {
    ...placedAfter(call, 'marker', time),
    type: 'attachment',
    attachment: {
      type: 'hook_deferred_tool',
      toolUseID: call.id,
      toolName: request.toolName,
      // A CLI reads only the last megabyte or so to find the marker.
      toolInput: {},
      hookName: 'settings',
      hookEvent: 'PreToolUse',
      permissionMode: permissionMode ?? 'default',
    },
  };
}

/** An entry gets the same uuid in every process, so that a store keeps it once. */
function placedAfter({ id, entry }: OpenCall, kind: string, time: number): StoreEntry {
  const { sessionId, cwd, version, userType, entrypoint, gitBranch } = entry;
  const common = { sessionId, cwd, version, userType, entrypoint, gitBranch };
  const timestamp = new Date(time).toISOString();
  return { ...common, parentUuid: entry.uuid, isSidechain: false, uuid: uuidOf(`${id} ${kind}`), timestamp };
}

function uuidOf(text: string): string {
  const hex = sha256(text);
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

/** A time after all entries. */
function laterThan(entries: readonly StoreEntry[], now: number): number {
  const times = entries.map(({ timestamp }) => Date.parse(String(timestamp))).filter((time) => !Number.isNaN(time));
  return times.reduce((latest, time) => Math.max(latest, time + 1), now);
}
