import { isObject } from '@coxswain/shared/is-object';
import type { SessionStore, StoreEntry } from 'coxswain/store';
import { RehearsalError } from '../rehearsal-error.ts';
import { fromSession } from './from-transcript.ts';
import type { Scenario } from './scenario.ts';
import type { TranscriptOptions } from './transcript-options.ts';

/** The part of a fleet of `@coxswain/fleet` that has the conversations. */
export interface FleetTranscripts {
  conversations(filter: {
    readonly prefix?: string;
    readonly limit?: number;
  }): Promise<readonly { readonly key: string; readonly sessionId: string | null; readonly updatedAt: number }[]>;
  transcript(key: string, options?: { readonly subpath?: string }): Promise<readonly StoreEntry[]>;
}

/**
 * Reads a conversation of a fleet, subagents included.
 * @throws RehearsalError if the fleet has no such conversation, or none of its turns has begun, and what `fromSession()` throws
 */
export async function fromFleet(
  fleet: FleetTranscripts,
  key: string,
  options: TranscriptOptions = {},
): Promise<Scenario> {
  const found = (await fleet.conversations({ prefix: key })).find((one) => one.key === key);
  if (found === undefined) throw new RehearsalError('unreadable', `The fleet has no conversation ${key}.`);
  if (found.sessionId === null) throw new RehearsalError('unreadable', `No turn of ${key} has begun.`);
  return fromSession(found.sessionId, { store: readOnly(fleet, key), project: key }, { name: key, ...options });
}

function readOnly(fleet: FleetTranscripts, key: string): SessionStore {
  return {
    async append() {
      throw new Error('A rehearsal does not change the conversations of a fleet.');
    },
    load: async ({ subpath }) => fleet.transcript(key, subpath === undefined ? {} : { subpath }),
    // The call of a subagent has its id in its result.
    async listSubkeys() {
      const ids = (await fleet.transcript(key)).flatMap(({ toolUseResult }) =>
        isObject(toolUseResult) && typeof toolUseResult.agentId === 'string' ? [toolUseResult.agentId] : [],
      );
      return [...new Set(ids)].filter((id) => /^[\w-]{1,100}$/.test(id)).map((id) => `subagents/agent-${id}`);
    },
  };
}
