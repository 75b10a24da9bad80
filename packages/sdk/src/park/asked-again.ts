import type { CallbackAnswer } from '../callbacks/callback-request.ts';
import type { PermissionAnswer } from '../callbacks/check-answer.ts';
import type { PermissionRequest } from '../callbacks/permission-request.ts';
import { type ParkedProblem, ParkedRequestError } from '../errors/park.ts';
import { isSameRequest, type ResumedRequest } from './parked-request.ts';
import type { AnswerBehavior } from './resume-entries.ts';

/** What resuming a request needs from its session. */
export interface AskedAgainHost {
  /** True when the hooks of the session were called for the request, or there are none. */
  isGuarded(): boolean;
  /** Calls `write` after the store has recorded the answer; ends the CLI if another process recorded one first. */
  note(behavior: AnswerBehavior, write: () => void): void;
  /** Ends the CLI now: nothing was answered. */
  fail(error: Error): void;
}

/**
 * A parked request in the session that resumes it. Checks that the CLI sends the same request again, and answers it only
 * once.
 */
export class AskedAgain {
  readonly #parked: ResumedRequest;
  readonly #host: AskedAgainHost;
  /** The CLI's ids of the request: more than one if the CLI repeats it before it has an answer. */
  readonly #requestIds = new Set<string>();
  /** True from the moment the call may have been answered. */
  claimed = false;
  /** True once the CLI has an answer, or may have one. */
  settled = false;

  constructor(parked: ResumedRequest, host: AskedAgainHost) {
    this.#parked = parked;
    this.#host = host;
  }

  /** The answer, if a person has already given one. */
  get answer(): PermissionAnswer | undefined {
    return this.#parked.answer;
  }

  /** Compares a request with the parked one: the same call, a call that must not be answered, or another call. */
  judge(requestId: string, asked: PermissionRequest): 'same' | 'changed' | 'other' {
    if (asked.toolUseId !== this.#parked.request.toolUseId) return 'other';
    const problem = !isSameRequest(this.#parked, asked) ? 'changed' : this.#host.isGuarded() ? undefined : 'unguarded';
    if (problem) {
      this.#host.fail(this.#error(problem));
      return 'changed';
    }
    this.#requestIds.add(requestId);
    return 'same';
  }

  /** The request as it was parked: the CLI does not repeat the text of a plan. */
  restored(asked: PermissionRequest): PermissionRequest {
    // The tool is the same, and its name determines the type of the input.
    return { ...asked, input: this.#parked.request.input } as PermissionRequest;
  }

  /**
   * Writes an answer. An answer to the parked call is written only after the store has recorded it, so that the turn
   * continues with it only once.
   */
  settle(requestId: string, answer: CallbackAnswer | undefined, write: () => void): void {
    if (!this.#requestIds.has(requestId) || answer === undefined) return write();
    this.settled = true;
    this.claimed = true;
    this.#host.note(answer.response.behavior === 'allow' ? 'allow' : 'deny', write);
  }

  /** Writes the denial sent because the session stops. It ends the turn, and the parked request can be resumed again. */
  stop(requestId: string, write: () => void): void {
    if (this.#requestIds.has(requestId)) this.settled = true;
    write();
  }

  #error(problem: ParkedProblem): ParkedRequestError {
    const { sessionId, request } = this.#parked;
    return new ParkedRequestError({ sessionId, toolUseId: request.toolUseId ?? '', problem });
  }
}
