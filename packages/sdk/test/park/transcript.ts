import { PINNED_VERSION } from '../../src/cli/version.ts';
import type { StoreEntry } from '../../src/store/session-store.ts';

/** One block of an assistant message with a tool call, as the CLI stores it. */
export function call(id: string, { tool = 'Bash', message = 'msg_1', ...fields }: CallFields = {}): StoreEntry {
  const content = [{ type: 'tool_use', id, name: tool, input: { command: 'ls' } }];
  return { ...head(`call ${id}`), type: 'assistant', message: { id: message, role: 'assistant', content }, ...fields };
}

interface CallFields {
  readonly tool?: string;
  readonly message?: string;
  readonly isSidechain?: boolean;
  readonly timestamp?: string;
}

/** The result of a tool call. */
export function result(id: string, fields: Partial<StoreEntry> = {}): StoreEntry {
  const content = [{ type: 'tool_result', tool_use_id: id, content: 'ok' }];
  return { ...head(`result ${id}`), type: 'user', message: { role: 'user', content }, ...fields };
}

/** A prompt, or a text of the model. */
export function textEntry(type: 'assistant' | 'user', text: string, fields: Partial<StoreEntry> = {}): StoreEntry {
  const message = {
    id: type === 'assistant' ? `msg_${text}` : undefined,
    role: type,
    content: [{ type: 'text', text }],
  };
  return { ...head(text), type, message, ...fields };
}

function head(uuid: string): StoreEntry {
  return {
    ...{ type: 'system', uuid, sessionId: 's', isSidechain: false, timestamp: '2026-01-01T00:00:00.000Z' },
    ...{ cwd: '/work', version: PINNED_VERSION, userType: 'external', entrypoint: 'sdk-ts', gitBranch: 'main' },
  };
}
