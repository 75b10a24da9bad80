import type { CallbackAnswer } from '../callbacks/callback-request.ts';
import type { PendingPermission } from '../callbacks/permission-request.ts';
import type { Ending } from '../connection/ending.ts';
import { errorOf } from '../errors/base.ts';
import {
  CannotParkError,
  type ParkedProblem,
  ParkedRequestError,
  type ParkObstacle,
  TurnParkedError,
} from '../errors/park.ts';
import { NoSuchPermissionError } from '../errors/session.ts';
import type { Limits } from '../limits.ts';
import { AskedAgain } from '../park/asked-again.ts';
import { parkObstacle } from '../park/park-obstacle.ts';
import { type ParkedRequest, requestHash } from '../park/parked-request.ts';
import {
  type AnswerBehavior,
  answerNote,
  answerProblem,
  completeTranscript,
  isAnswerNote,
} from '../park/resume-entries.ts';
import { StoredCalls } from '../park/stored-calls.ts';
import type { ExitReport } from '../process/transport.ts';
import type { StoreEntry } from '../store/session-store.ts';
import type { StoredConversation } from '../store/stored-conversation.ts';
import { Waiters } from '../stream/queue.ts';
import { within } from '../timing/timers.ts';
import { askUsage } from './ask-usage.ts';
import { hasOpenTasks } from './background-tasks.ts';
import type { CostLedger } from './cost-ledger.ts';
import type { SessionPlan } from './plan.ts';
import type { TurnRunner } from './turn-runner.ts';
import type { SettingsKeeper } from './turn-settings.ts';

/** The parts of the conversation that parking uses. */
export interface ParkingHost {
  readonly plan: SessionPlan;
  readonly limits: Pick<Limits, 'storeTimeoutMs'>;
  readonly id: string | undefined;
  readonly release: string | undefined;
  readonly stored: StoredConversation | undefined;
  readonly turns: TurnRunner;
  readonly settings: SettingsKeeper;
  readonly inbound: { readonly permissions: { requests(): PendingPermission[]; park(id: string): void } };
  readonly connection: {
    readonly ending: Ending;
    readonly requests: Parameters<typeof askUsage>[0];
    kill(reason: Error): Promise<ExitReport>;
  };
  readonly cli: { has(feature: string): boolean };
  readonly costs: Pick<CostLedger, 'parked'>;
  fail(failure: Error): void;
}

/** Ends the process of a conversation while a permission request waits, and resumes a conversation whose request was parked. */
export class Parking {
  /** The parked request that this process resumes. */
  readonly askedAgain: AskedAgain | undefined;
  readonly #host: ParkingHost;
  readonly #calls = new StoredCalls();
  readonly #callsChanged = new Waiters();
  /** The requests that waited when the process ended. */
  #unanswered: readonly PendingPermission[] = [];
  #endedInTurn = false;
  /** The requests without a result that another process can resume, because `parkable()` has returned them, by the ids of their calls. */
  readonly #shared = new Map<string, ParkedRequest>();

  constructor(host: ParkingHost) {
    this.#host = host;
    const { parked, given } = host.plan;
    const { hooks } = given;
    this.askedAgain =
      parked &&
      new AskedAgain(parked, {
        isGuarded: () => parked.guard.called || !(hooks?.PreToolUse || hooks?.PermissionRequest),
        note: (behavior, write) => this.#note(parked, behavior, write),
        fail: (error) => host.fail(error),
      });
  }

  /**
   * The reason with which the process must end now, without a word to the CLI, so that its request stays parked: the one that it
   * resumes, or one that `parkable()` has returned.
   */
  get staysParked(): TurnParkedError | undefined {
    const { plan, turns, inbound } = this.#host;
    const resumes = plan.parked && !this.askedAgain?.settled && turns.current?.parked !== undefined;
    const waiting = inbound.permissions.requests().map(({ toolUseId = '' }) => this.#shared.get(toolUseId));
    const parked = resumes ? plan.parked : waiting.find((request) => request !== undefined);
    return parked && new TurnParkedError(parked.sessionId, parked.request.toolUseId ?? '');
  }

  /** The process is about to end. */
  ending(): void {
    if (this.#host.stored) this.#unanswered = this.#host.inbound.permissions.requests();
    this.#endedInTurn = this.#inTurn;
  }

  /** Entries of the main transcript were written by the CLI, or restored. */
  noted(entries: readonly StoreEntry[]): void {
    for (const answered of this.#calls.note(entries)) this.#shared.delete(answered);
    this.#callsChanged.wake();
  }

  /** The store does not have the conversation. @throws ParkedRequestError */
  requireConversation(): void {
    const { parked } = this.#host.plan;
    if (parked) throw problemWith(parked, 'not-found');
  }

  /** Completes the stored transcript for the CLI that resumes it. @throws ParkedRequestError, StoreFailedError */
  async complete(
    main: readonly StoreEntry[],
    append: (entries: readonly StoreEntry[]) => Promise<void>,
  ): Promise<readonly StoreEntry[]> {
    const { parked } = this.#host.plan;
    const { missing, marker, problem } = completeTranscript(main, parked, Date.now());
    if (parked && problem) throw problemWith(parked, problem);
    if (missing.length > 0) await append(missing);
    const whole = [...main.filter((entry) => !isAnswerNote(entry)), ...missing];
    this.noted(whole);
    return marker ? [...whole, marker] : whole;
  }

  /** The request as `park()` would return it, once the store has everything. @throws NoSuchPermissionError, CannotParkError */
  async parkable(requestId: string): Promise<ParkedRequest> {
    const { toolUseId = '' } = this.#checked(requestId);
    if (!(await this.#isStored(toolUseId))) throw new CannotParkError(requestId, 'not-stored');
    // Meanwhile it may have been answered, or a task started.
    const parked = this.#parkedRequest(this.#checked(requestId), Date.now());
    this.#shared.set(toolUseId, parked);
    return parked;
  }

  /** Writes an answer. One to a call that another process can resume is written only after the store has noted it. */
  settle(requestId: string, answer: CallbackAnswer | undefined, write: () => void, stopping: boolean): void {
    if (stopping) return this.askedAgain ? this.askedAgain.stop(requestId, write) : write();
    const { toolUseID, behavior } = answer?.response ?? {};
    const isAskedAgain = toolUseID === this.#host.plan.parked?.request.toolUseId;
    const shared = isAskedAgain ? undefined : this.#shared.get(String(toolUseID));
    if (shared) this.#note(shared, behavior === 'allow' ? 'allow' : 'deny', write);
    else if (this.askedAgain) this.askedAgain.settle(requestId, answer, write);
    else write();
  }

  /**
   * Ends the process, after `ending` was called; the request can be asked again anywhere. @throws NoSuchPermissionError,
   * CannotParkError
   */
  async park(requestId: string, ending: () => void = () => {}): Promise<ParkedRequest> {
    await this.parkable(requestId);
    const { cli, connection, costs, turns } = this.#host;
    // Not earlier: the CLI counts a message a moment after it has requested a permission for a call in it.
    const usage = cli.has('get_usage') ? await askUsage(connection.requests) : undefined;
    // Again: the request may have been answered meanwhile.
    const parked = await this.parkable(requestId);
    ending();
    costs.parked(turns.current?.id ?? '', usage);
    this.#host.inbound.permissions.park(requestId);
    await connection.kill(new TurnParkedError(parked.sessionId, parked.request.toolUseId ?? ''));
    return parked;
  }

  /** True when a permission request waited when the process ended. */
  get requestWaited(): boolean {
    return this.#unanswered.length > 0;
  }

  /** The request that waited when the process died, if another one can ask for it again. Known once everything is stored. */
  get left(): ParkedRequest | undefined {
    const { settings, stored } = this.#host;
    // The settings of a turn end with its process.
    const { own, known } = settings;
    if (own.model !== known.model || own.permissionMode !== known.permissionMode || stored?.pending !== 0)
      return undefined;
    const found = this.#unanswered.find(
      (request) => this.#calls.has(request.toolUseId ?? '') && this.#obstacle(request, this.#endedInTurn) === undefined,
    );
    return found && this.#parkedRequest(found, Date.now());
  }

  /** The request, if it can be parked now. */
  #checked(requestId: string): PendingPermission {
    const request = this.#host.inbound.permissions.requests().find(({ id }) => id === requestId);
    if (request === undefined) throw new NoSuchPermissionError(requestId);
    const { tasks } = this.#host.turns.router.tracker;
    const obstacle = this.#obstacle(request, this.#inTurn, hasOpenTasks(tasks));
    if (obstacle) throw new CannotParkError(requestId, obstacle);
    return request;
  }

  get #inTurn(): boolean {
    const { turns } = this.#host;
    return turns.isSent && turns.router.tracker.phase === 'ours';
  }

  #obstacle(request: PendingPermission, inTurn: boolean, hasBackgroundWork = false): ParkObstacle | undefined {
    const { plan, release } = this.#host;
    return parkObstacle({
      request,
      hasStore: plan.run.options.sessionStore !== undefined,
      inTurn,
      release,
      hostServers: Object.keys(plan.toolServers),
      hasSettingsFile: typeof plan.given.settings === 'string',
      hasOutputSchema: plan.run.options.outputSchema !== undefined,
      hasBackgroundWork,
      openTools: this.#calls.tools,
    });
  }

  /** The CLI mirrors a call a moment after it has asked for its permission. */
  async #isStored(toolUseId: string): Promise<boolean> {
    const arrived = async (): Promise<true> => {
      while (!this.#calls.has(toolUseId)) await this.#callsChanged.wait();
      return true;
    };
    const { limits, stored } = this.#host;
    if (!(await within(limits.storeTimeoutMs, arrived()))) return false;
    return (await stored?.flush()) === undefined;
  }

  #parkedRequest(pending: PendingPermission, parkedAt: number): ParkedRequest {
    const { settings, id: sessionId = '' } = this.#host;
    const { requestedAt: _, expiresAt, job, key, ...request } = pending;
    const { permissionMode, model } = settings.known;
    return { sessionId, request, hash: requestHash(request), permissionMode, model, parkedAt };
  }

  /** Writes an answer after the store has noted it; ends the CLI if another process has answered or continued the conversation. */
  #note(parked: ParkedRequest, behavior: AnswerBehavior, write: () => void): void {
    this.#claim(parked, behavior).then(
      (problem) => (problem ? this.#host.fail(problemWith(parked, problem)) : write()),
      (error: unknown) => this.#host.fail(errorOf(error)),
    );
  }

  /** Notes in the store that the call is answered now; returns why it must not be. @throws StoreFailedError */
  async #claim(parked: ParkedRequest, behavior: AnswerBehavior): Promise<ParkedProblem | undefined> {
    const { stored } = this.#host;
    if (stored === undefined) return 'not-found';
    const { sessionId, request } = parked;
    const sender = crypto.randomUUID();
    await stored.append(sessionId, [answerNote(parked, sender, behavior)]);
    return answerProblem(await stored.load(sessionId), request.toolUseId ?? '', sender);
  }
}

function problemWith({ sessionId, request }: ParkedRequest, problem: ParkedProblem): ParkedRequestError {
  return new ParkedRequestError({ sessionId, toolUseId: request.toolUseId ?? '', problem });
}
