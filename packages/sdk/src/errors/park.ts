import { CoxswainError } from './base.ts';

/** Why a permission request cannot be parked. */
export type ParkObstacle =
  | 'no-store'
  | 'no-turn'
  | 'subagent'
  | 'host-tool'
  | 'settings-file'
  | 'mcp-tool'
  | 'structured-output'
  | 'background-work'
  | 'not-stored';

/** The permission request cannot be parked. It still waits for its answer. */
export class CannotParkError extends CoxswainError<'cannot-park'> {
  /** The id of the request. */
  declare readonly id: string;
  declare readonly obstacle: ParkObstacle;

  constructor(id: string, obstacle: ParkObstacle) {
    const message = `The permission request ${id} cannot be parked: ${OBSTACLES[obstacle]}. It still waits for its answer.`;
    super('CannotParkError', message, { id, obstacle });
  }
}

/** The turn was parked: its process has ended, and its permission request can be answered anywhere. */
export class TurnParkedError extends CoxswainError<'turn-parked'> {
  /** The conversation in the session store. */
  declare readonly sessionId: string;
  /** The tool call that waits for a permission. */
  declare readonly toolUseId: string;

  constructor(sessionId: string, toolUseId: string) {
    const message = `The turn was parked while the tool call ${toolUseId} waits for a permission. Resume it with openSession({ parked }), with what session.park() returned.`;
    super('TurnParkedError', message, { sessionId, toolUseId });
  }
}

/** Why a parked request cannot be resumed. */
export type ParkedProblem = 'not-found' | 'finished' | 'superseded' | 'answered' | 'changed' | 'unguarded';

/** A parked request cannot be resumed. Nothing was run. */
export class ParkedRequestError extends CoxswainError<'parked-request'> {
  declare readonly sessionId: string;
  declare readonly toolUseId: string;
  declare readonly problem: ParkedProblem;

  constructor(fields: { readonly sessionId: string; readonly toolUseId: string; readonly problem: ParkedProblem }) {
    const { toolUseId, sessionId, problem } = fields;
    const message = `The parked tool call ${toolUseId} of the conversation ${sessionId} cannot be resumed: ${PROBLEMS[problem]}`;
    super('ParkedRequestError', message, fields);
  }
}

const OBSTACLES: Readonly<Record<ParkObstacle, string>> = {
  'no-store': 'the session has no sessionStore',
  'no-turn': 'it does not belong to a tool call of a turn',
  subagent: 'a subagent runs, which would begin again',
  'host-tool': 'its tool runs in this process, and a resumed CLI looks for it before it is connected',
  'settings-file': 'the option settings is the path of a file, to which the hook that asks again cannot be added',
  'mcp-tool': 'this release of the CLI does not wait for the MCP server of the tool when it resumes a conversation',
  'structured-output': 'this release of the CLI loses outputSchema when it resumes a conversation',
  'background-work': 'a background task runs, which would end with the process',
  'not-stored': 'the session store does not have the tool call',
};

const PROBLEMS: Readonly<Record<ParkedProblem, string>> = {
  'not-found': 'the session store has no such call. Check the store, and the option storeProject.',
  finished: 'the call has a result. Resume the conversation without it.',
  superseded: 'the conversation was continued without it. Resume the conversation without it.',
  answered:
    'it was answered in another CLI, and has no result yet. If that CLI has ended, it is unknown what it has done: resume the conversation without the call, and the model will read that.',
  unguarded:
    'the CLI asked for it before it had the hooks of the session, which therefore were not called. Open the session again.',
  changed: 'the CLI now asks for something else, so the answer does not apply.',
};
