import type { AnsweredApproval } from './approvals.ts';

/** The body of every answer that is not 2xx. */
export interface ApiFailure {
  readonly error: {
    readonly code: ApiErrorCode;
    /** One or two sentences for people: what happened and what to do. */
    readonly message: string;
    /** With `already-answered`: who was first, and with what. */
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
  /** The conversation cannot do that now, such as interrupt when nothing runs. */
  | 'not-possible'
  /** The agent or the CLI failed to do it; `message` says why. */
  | 'failed';
