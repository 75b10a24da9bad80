import { type InMemoryCli, inMemoryCli, type Script, type ScriptedRun, script } from '@coxswain/testkit';
import { onTestFinished } from 'vitest';
import { decideLater } from '../../src/callbacks/decisions.ts';
import type { Turn } from '../../src/conversation/turn.ts';
import type { ParkedRequest } from '../../src/park/parked-request.ts';
import { type OpenSessionOptions, openSession } from '../../src/restart/open-session.ts';
import type { Session } from '../../src/session/session.ts';
import { type MemoryStore, memoryStore } from '../../src/store/memory-store.ts';
import type { StoreEntry } from '../../src/store/session-store.ts';

/** The command that needs a permission. */
export const COMMAND = { command: 'rm -r build' };

/** Deletes a folder if it is allowed to; answers every other prompt with the same text. */
export const deletes: Script = script()
  .onPrompt('Delete', (turn) =>
    turn
      .say('One moment.')
      .useTool('Bash', COMMAND, { result: 'deleted', permission: 'ask' })
      .ifRefused((refused) => refused.say('I leave it.'))
      .say('It is gone.'),
  )
  .otherwise((turn) => turn.say('Heard.'));

/** A store, and agents that share only this store. */
export interface ParkStage {
  readonly store: MemoryStore;
  readonly cli: InMemoryCli;
  open(options?: OpenSessionOptions): Session;
  /** Sends a prompt, and parks its first permission request. */
  park(options?: OpenSessionOptions, prompt?: string): Promise<Parked>;
  /** Opens a session on another agent that resumes a request, passed as JSON. */
  resume(parked: ParkedRequest, options?: OpenSessionOptions & { plays?: Script }): Resumed;
  entries(sessionId: string): Promise<readonly StoreEntry[]>;
}

/** A session that was parked. */
export interface Parked {
  readonly session: Session;
  readonly turn: Turn;
  readonly parked: ParkedRequest;
}

/** A session that resumes a parked request, and its agent. */
export interface Resumed {
  readonly session: Session;
  readonly turn: Turn;
  readonly cli: InMemoryCli;
}

/** Creates a stage. Sessions are closed at the end of the test. */
export function parkStage(agent: Script = deletes): ParkStage {
  const cli = inMemoryCli(agent);
  const store = memoryStore();
  const open = (options: OpenSessionOptions = {}): Session => {
    const session = openSession({ transport: cli.transport, sessionStore: store, ...options });
    onTestFinished(async () => void (await session.close()));
    return session;
  };
  return {
    store,
    cli,
    open,
    async park(options, prompt = 'Delete it.') {
      const session = open({ canUseTool: () => decideLater(), ...options });
      const turn = session.send(prompt);
      const parked = await session.park(await requested(turn));
      return { session, turn, parked };
    },
    resume(parked, { plays = agent, ...options } = {}) {
      const elsewhere = inMemoryCli(plays);
      const copy: ParkedRequest = JSON.parse(JSON.stringify(parked));
      const session = open({ transport: elsewhere.transport, parked: copy, ...options });
      const { parkedTurn: turn } = session;
      if (turn === undefined) throw new Error('The session has no parked turn.');
      return { session, turn, cli: elsewhere };
    },
    entries: async (sessionId) => (await store.load({ projectKey: 'default', sessionId })) ?? [],
  };
}

/** The id of the first permission request of a turn. */
export async function requested(turn: Turn): Promise<string> {
  for await (const item of turn.items({ permissions: true })) if (item.kind === 'permission-requested') return item.id;
  throw new Error('The turn ended without a permission request.');
}

/** The tool calls of all runs of an agent, with their outcomes. */
export function toolsOf({ runs }: InMemoryCli): ScriptedRun['tools'] {
  return runs().flatMap(({ tools }) => tools);
}
