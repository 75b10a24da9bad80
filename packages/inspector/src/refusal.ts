import type { AnsweredApproval, ApiErrorCode, ApiFailure } from './api.ts';

/** The reason why the server refuses a request. */
export class Refusal extends Error {
  readonly code: ApiErrorCode;
  readonly answered: AnsweredApproval | undefined;

  constructor(code: ApiErrorCode, message: string, answered?: AnsweredApproval) {
    super(message);
    this.name = 'Refusal';
    this.code = code;
    this.answered = answered;
  }

  get status(): RefusalStatus {
    return STATUS[this.code];
  }

  get body(): ApiFailure {
    const { code, message, answered } = this;
    return { error: { code, message, ...(answered && { answered }) } };
  }
}

/** A malformed request, or one that does not fit its target. */
export function badRequest(why: string): Refusal {
  return new Refusal('bad-request', `Invalid request: ${why}.`);
}

type RefusalStatus = 400 | 401 | 403 | 404 | 409 | 413 | 502;

const STATUS: Readonly<Record<ApiErrorCode, RefusalStatus>> = {
  'not-logged-in': 401,
  'wrong-token': 401,
  'wrong-host': 403,
  'wrong-origin': 403,
  'missing-header': 403,
  'read-only': 403,
  'not-found': 404,
  'bad-request': 400,
  'too-large': 413,
  'already-answered': 409,
  'not-possible': 409,
  failed: 502,
};
