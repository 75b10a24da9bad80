import type { InterruptReceipt } from '../control/answers.ts';
import type { OptionsError } from '../errors/options.ts';
import { TurnParkedError } from '../errors/park.ts';
import { TurnCancelledError } from '../errors/session.ts';
import { AbortError } from '../errors/stream.ts';
import { snapshot } from '../options/checks.ts';
import type { AgentOptions, OutputSchema, Thinking } from '../options/option-types.ts';
import type { TurnProcessOptionName } from '../options/process-options.ts';
import { checkTurn } from '../options/turn.ts';
import type { ResumedRequest } from '../park/parked-request.ts';
import type { Redactor } from '../redact.ts';
import type { Feed } from '../stream/feed.ts';
import { FeedStream, type MessageStream } from '../stream/message-stream.ts';
import { currentContext, type InContext } from '../timing/caller.ts';
import type { Warning } from '../warnings/warning.ts';
import type { UserContent } from '../wire/messages.ts';
import type { TurnSettings } from './turn-settings.ts';

/** The options of one turn that apply in any process. */
export interface TurnOptions extends TurnSettings {
  /** Whether the model thinks in this turn, and how much. */
  readonly thinking?: Thinking | undefined;
  /** How long the turn may take. */
  readonly timeoutMs?: number | undefined;
  /** How long the CLI may be silent during the turn. */
  readonly idleTimeoutMs?: number | undefined;
  /** Aborting it rejects the turn and interrupts the CLI; the session continues. */
  readonly signal?: AbortSignal | undefined;
}

/** Options that the CLI only accepts when it starts: a session with `restart` runs the turn in a CLI that was started with them. */
export type TurnProcessOptions<T = unknown> = Pick<AgentOptions<T>, TurnProcessOptionName>;

/** The options of `send()`. Those of `TurnProcessOptions` need a session with `restart`. */
export type SendOptions<T = unknown> = TurnOptions & TurnProcessOptions<T>;

/**
 * Where a turn is. `queued`: its prompt waits. `running`: its prompt is being sent, or has been. `finished`: it has a result,
 * whatever its outcome. `parked`: its process has ended, and a permission request waits. `cancelled`: it was aborted, or withdrawn
 * before it was sent. `failed`: it has no result for another reason.
 */
export type TurnState = 'queued' | 'running' | 'finished' | 'parked' | 'cancelled' | 'failed';

/** One prompt and everything the CLI answers to it. */
export interface Turn<T = unknown> extends MessageStream<T> {
  /** The uuid that was sent with the prompt; `rewindFiles` takes it. */
  readonly id: string;
  readonly prompt: UserContent;
  /** A turn that a session with `restart` sends again is `queued` until then. */
  readonly state: TurnState;
  /** Adds to the prompt while the turn runs. @throws TurnEndedError */
  steer(content: UserContent): Promise<void>;
  /** Ends the turn early; a queued turn is removed before it is sent. */
  interrupt(): Promise<InterruptReceipt>;
}

/** A checked prompt and everything that belongs to its turn. */
export interface TurnRequest<T> {
  readonly id: string;
  readonly content: UserContent;
  readonly options: TurnOptions;
  /** The CLI must be started with these, instead of the session's. */
  readonly process?: AgentOptions;
  /** The problem of the prompt or the options: the turn reports it and is not sent. */
  readonly problem?: OptionsError | undefined;
  readonly outputSchema: OutputSchema<T> | undefined;
  /** Runs a function in the async context of the caller who sent the prompt. */
  readonly inContext: InContext;
  /** Kept reachable while the turn runs: a session with a turn is not abandoned. */
  readonly holds?: object | undefined;
  /** The parked request that it resumes. */
  readonly parked?: ResumedRequest | undefined;
}

/** The data of a session that its turns use. */
interface TurnTerms<T> {
  /** The options for what the turn leaves open. */
  readonly given: Pick<AgentOptions<T>, 'timeoutMs' | 'idleTimeoutMs' | 'outputSchema'>;
  /** The session can start another CLI for the turn. */
  readonly replaces: boolean;
}

/** Checks a prompt and the options of its turn. Never throws. */
export function turnRequest<T>(
  prompt: UserContent,
  options: SendOptions<T>,
  { given, replaces }: TurnTerms<T>,
  holds?: object,
): TurnRequest<T> {
  const { timeoutMs, idleTimeoutMs } = given;
  const { problem, content, turn, process } = checkTurn(prompt, options, { timeoutMs, idleTimeoutMs }, replaces);
  // A schema among the checked options is the one that was given, whose type is T.
  const outputSchema = (process.outputSchema as OutputSchema<T> | undefined) ?? given.outputSchema;
  const id = crypto.randomUUID();
  return { id, content, options: turn, process, problem, outputSchema, inContext: currentContext(), holds };
}

/** The prompt that the CLI gives itself when it resumes a parked turn. */
const CONTINUE = 'Continue from where you left off.';

/** The turn that a session resumes when it opens. */
export function resumedRequest<T>(
  parked: ResumedRequest,
  { timeoutMs, idleTimeoutMs, outputSchema }: TurnTerms<T>['given'],
): TurnRequest<T> {
  const options = { timeoutMs, idleTimeoutMs };
  return { id: crypto.randomUUID(), content: CONTINUE, options, outputSchema, inContext: currentContext(), parked };
}

/** Receives the calls of a turn. */
interface TurnController {
  steer(turn: object, content: UserContent): Promise<void>;
  interrupt(turn: object): Promise<InterruptReceipt>;
}

/** A turn between the caller who reads it and the queue that sends it. */
export class QueuedTurn<T = unknown> extends FeedStream<T, Feed> implements Turn<T> {
  /** The CLI does not accept the same id twice, so it changes with each attempt. */
  id: string;
  readonly content: UserContent;
  readonly options: TurnOptions;
  readonly inContext: InContext;
  /** Kept reachable while the turn runs. */
  holds: object | undefined;
  /** The parked request that its next process resumes: no prompt is sent. */
  parked: ResumedRequest | undefined;
  /** Its state before its end. */
  progress: 'queued' | 'running' = 'queued';
  /** True once the pipe has accepted the prompt of this attempt. */
  sent = false;
  /** When this attempt began. */
  begunAt = 0;
  /** How long earlier attempts ran: `timeoutMs` covers all of them. */
  ranMs = 0;
  /** Additions to the prompt while the turn ran: another attempt also gets them. */
  readonly additions: UserContent[] = [];
  #end: TurnState | undefined;
  readonly #controller: TurnController;

  constructor(feed: Feed, request: TurnRequest<T>, controller: TurnController, { redact, warn }: TurnReporter) {
    super(feed, { outputSchema: request.outputSchema, redact, warn });
    this.id = request.id;
    this.content = request.content;
    this.options = request.options;
    this.inContext = request.inContext;
    this.holds = request.holds;
    this.parked = request.parked;
    this.#controller = controller;
    void feed.ended.then((failure) => {
      this.#end = endOf(failure);
    });
  }

  get prompt(): UserContent {
    return snapshot(this.content);
  }

  get state(): TurnState {
    return this.#end ?? this.progress;
  }

  steer(content: UserContent): Promise<void> {
    return this.#controller.steer(this, content);
  }

  interrupt(): Promise<InterruptReceipt> {
    return this.#controller.interrupt(this);
  }
}

/** The parts of a session with which a turn reports warnings and errors. */
export interface TurnReporter {
  readonly redact: Redactor;
  warn(warning: Warning): void;
}

function endOf(failure: Error | undefined): TurnState {
  if (failure === undefined) return 'finished';
  if (failure instanceof TurnParkedError) return 'parked';
  return failure instanceof AbortError || failure instanceof TurnCancelledError ? 'cancelled' : 'failed';
}
