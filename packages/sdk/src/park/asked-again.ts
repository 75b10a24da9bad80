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
  /** Calls `write` after the store has noted the answer; ends the CLI if another process has noted one before. */
  note(behavior: AnswerBehavior, write: () => void): void;
  /** Ends the CLI now: nothing was answered. */
  fail(error: Error): void;
}

/** A parked request in the session that resumes it: whether the CLI asks for the same, and that it is answered only once. */
export class AskedAgain {
  readonly #parked: ResumedRequest;
  readonly #host: AskedAgainHost;
  /** The CLI's ids of the request: one, unless the CLI asks again before it has an answer. */
  readonly #requestIds = new Set<string>();
  /** True from the moment the call may have been answered. */
  claimed = false;
  /** True once the CLI has an answer, or may have one. */
  settled = false;

  constructor(parked: ResumedRequest, host: AskedAgainHost) {
    this.#parked = parked;
    this.#host = host;
  }

  /** What a person has answered before. */
  get answer(): PermissionAnswer | undefined {
    return this.#parked.answer;
  }

  /** Whether the CLI asks for the parked call, for something that must not be answered, or for another one. */
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

  /** Writes an answer. One to the parked call is written only after the store has noted it: the turn continues with it once. */
  settle(requestId: string, answer: CallbackAnswer | undefined, write: () => void): void {
    if (!this.#requestIds.has(requestId) || answer === undefined) return write();
    this.settled = true;
    this.claimed = true;
    this.#host.note(answer.response.behavior === 'allow' ? 'allow' : 'deny', write);
  }

  /** Writes the denial of a session that stops, which ends the turn: the call can be asked for again. */
  stop(requestId: string, write: () => void): void {
    if (this.#requestIds.has(requestId)) this.settled = true;
    write();
  }

  #error(problem: ParkedProblem): ParkedRequestError {
    const { sessionId, request } = this.#parked;
    return new ParkedRequestError({ sessionId, toolUseId: request.toolUseId ?? '', problem });
  }
}
