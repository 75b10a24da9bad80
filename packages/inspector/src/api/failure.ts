import type { AnsweredApproval } from './approvals.ts';

/** The body of every response with a status other than 2xx. */
export interface ApiFailure {
  readonly error: {
    readonly code: ApiErrorCode;
    /** One or two sentences for people: what happened and what to do. */
    readonly message: string;
    /** With `already-answered`: the first answer and its author. */
    readonly answered?: AnsweredApproval;
  };
}

/** Why a request failed. */
export type ApiErrorCode =
  | 'not-logged-in'
  | 'wrong-token'
  | 'wrong-host'
  | 'wrong-origin'
  | 'missing-header'
  | 'read-only'
  | 'not-found'
  | 'bad-request'
  | 'too-large'
  | 'already-answered'
  /** The conversation does not support the action now, such as interrupt when no turn runs. */
  | 'not-possible'
  /** The agent or the CLI failed to do it; `message` has the reason. */
  | 'failed';
