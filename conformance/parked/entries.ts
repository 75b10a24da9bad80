import { randomUUID } from 'node:crypto';
import type { StoreEntry } from 'coxswain/store';

/** The part of a request that an entry repeats. */
export interface Asked {
  readonly toolUseId?: string | undefined;
  readonly toolName: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The result that the model receives for a call that was not run. */
const NOT_RUN =
  'Not run: the turn was parked while another call waits for approval. Call it again if it is still needed.';

/** The entry that makes the CLI ask again; the CLI itself writes the same entry for a deferred call. */
export function marker(entries: readonly StoreEntry[], asked: Asked | undefined): StoreEntry {
  if (asked === undefined) throw new Error('Nothing was asked.');
  const { toolUseId, toolName, input } = asked;
  return {
    ...chained(entries, callOf(entries, toolUseId)),
    type: 'attachment',
    attachment: {
      type: 'hook_deferred_tool',
      toolUseID: toolUseId,
      toolName,
      toolInput: input,
      hookName: 'settings',
      hookEvent: 'PreToolUse',
      permissionMode: 'default',
    },
  };
}

/** The result of a call that is not run. */
export function notRun(entries: readonly StoreEntry[], toolUseId: string, content: string = NOT_RUN): StoreEntry {
  const call = callOf(entries, toolUseId);
  return {
    ...chained(entries, call),
    type: 'user',
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: toolUseId, content, is_error: true }],
    },
    toolUseResult: content,
    sourceToolAssistantUUID: call?.uuid,
  };
}

/** The model's message with a call; each of its blocks is an entry. */
function callOf(entries: readonly StoreEntry[], toolUseId = ''): StoreEntry | undefined {
  return entries.find(
    ({ type, message }) => type === 'assistant' && JSON.stringify(message).includes(`"id":"${toolUseId}"`),
  );
}

/** The fields that place an entry after another one; by default after the last. */
function chained(entries: readonly StoreEntry[], parent = entries.findLast(isLink)): StoreEntry {
  const { sessionId, cwd, version, userType, entrypoint, gitBranch } = parent ?? {};
  return {
    parentUuid: parent?.uuid,
    isSidechain: false,
    uuid: randomUUID(),
    timestamp: new Date(laterThan(entries)).toISOString(),
    sessionId,
    cwd,
    version,
    userType,
    entrypoint,
    gitBranch,
  };
}

/** 2.1.97 continues after the (first) entry with the newest timestamp; newer releases continue after the last entry. */
function laterThan(entries: readonly StoreEntry[]): number {
  const times = entries.map(({ timestamp }) => Date.parse(String(timestamp))).filter((time) => !Number.isNaN(time));
  return Math.max(Date.now(), ...times.map((time) => time + 1));
}

function isLink({ uuid, type }: StoreEntry): boolean {
  return (
    typeof uuid === 'string' && (type === 'user' || type === 'assistant' || type === 'attachment' || type === 'system')
  );
}

/** Whether an entry makes the CLI ask again. */
export function isMarker({ attachment }: StoreEntry): boolean {
  return Object(attachment).type === 'hook_deferred_tool';
}
