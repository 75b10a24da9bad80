import type { PermissionDispatcher } from '../callbacks/permission-dispatch.ts';
import { ConversationProcess } from '../conversation/conversation-process.ts';
import type { OwnerRules } from '../conversation/owner-rules.ts';
import { planSessionRun } from '../conversation/plan.ts';
import { turnRequest } from '../conversation/turn.ts';
import { TurnQueue } from '../conversation/turn-queue.ts';
import type { CoxswainError } from '../errors/base.ts';
import { NoResultError } from '../errors/stream.ts';
import { incomplete, NO_COST } from '../messages/turn-cost.ts';
import type { QueryPlan } from '../options/plan.ts';
import { NEVER_STARTED } from '../process/transport.ts';
import type { FeedOptions } from '../stream/feed.ts';
import { currentContext } from '../timing/caller.ts';
import type { QueryRun, QuerySource } from './run.ts';
import { hasOpenWork, type StreamMachine } from './stream-machine.ts';

/**
 * Runs a query with callbacks as a conversation of one turn, so that the CLI can call them. Control frames cannot wait for a
 * slow reader, so the backlog is bounded and the pipe is never paused.
 */
export class TwoWay<T> implements QuerySource {
  readonly twoWay = true;
  readonly feedOptions: FeedOptions;
  readonly #plan: QueryPlan<T>;
  readonly #run: QueryRun<T>;
  #conversation: ConversationProcess | undefined;
  /** stdout has ended. */
  #ended = false;

  constructor(plan: QueryPlan<T>, run: QueryRun<T>) {
    this.#plan = plan;
    this.#run = run;
    const { backlogBytes } = plan.limits;
    this.feedOptions = { drained: true, bufferBytes: backlogBytes, backlogBytes };
  }

  get pid(): number | undefined {
    return this.#conversation?.pid;
  }

  get sessionId(): string | undefined {
    return this.#conversation?.id;
  }

  get answering(): boolean {
    return (this.#conversation?.inbound.open ?? 0) > 0 || this.#conversation?.held.holding === true;
  }

  get permissions(): PermissionDispatcher | undefined {
    return this.#conversation?.inbound.permissions;
  }

  async start(): Promise<void> {
    // The signal and the clocks end the query, not just its turn.
    const clocks = { signal: undefined, timeoutMs: undefined, idleTimeoutMs: undefined };
    const plan = { ...this.#plan, options: Object.assign({}, this.#plan.options, clocks) };
    const { report, stderr } = this.#run;
    const conversation: ConversationProcess = new ConversationProcess(planSessionRun(plan), currentContext(), {
      rules: this.#rules(),
      report,
      stderr,
      advance: () => queue.advance(),
    });
    const { limits, redact } = conversation;
    const queue = new TurnQueue({ conversation, limits, redact, warn: (warned) => report.warn(warned) });
    this.#conversation = conversation;
    void conversation.closed.then(this.#run.processExited);
    this.#ask(queue, conversation);
    try {
      await conversation.ready;
    } catch (error) {
      // A CLI that has exited did start; its exit ends the query.
      if (!this.#ended) throw error;
    }
    this.#run.waiting(true);
  }

  get versionPending(): boolean {
    return this.#conversation?.cli.versionPending === true;
  }

  async versionKnown(): Promise<void> {
    await this.#conversation?.cli.versionKnown();
  }

  explained(failure: CoxswainError, stderr: string): CoxswainError {
    return this.#conversation?.cli.explained(failure, stderr) ?? failure;
  }

  leave(): void {
    // Not immediately: the session has not processed the result that ends its turn yet.
    queueMicrotask(() => {
      if (this.#run.state === 'pending-end') void this.#conversation?.stop();
    });
  }

  finish(how: 'leave' | 'stop', failure: Error | undefined, machine: StreamMachine): void {
    const conversation = this.#conversation;
    const end = (): void => this.#run.report.end(how === 'leave' ? 'ended' : 'stopped', failure);
    if (!conversation) {
      this.#run.spent(NO_COST);
      end();
      return this.#run.processExited(NEVER_STARTED);
    }
    // An interrupted run may still report its cost during the shutdown.
    if (this.#run.feed.results.length > 0 && !hasOpenWork(machine)) this.#reportCost(conversation, machine);
    if (failure && this.#ended) conversation.fail(failure);
    void conversation.stop();
    void conversation.closed.then(() => {
      this.#reportCost(conversation, machine);
      end();
    });
  }

  #rules(): OwnerRules {
    const run = this.#run;
    return {
      strict: true,
      message: (message, rawJson, at) => {
        if (message.type !== 'user' || message.isReplay !== true) run.message(message, rawJson, at);
        run.waiting(!this.answering);
      },
      feed: run.feed,
      awaited: (awaited) => run.waiting(!awaited),
      undecodable: (error, inARow) => run.undecodable(error, inARow),
      oversize: () => run.oversize(),
      storeFailed: (error) => run.fail(error),
      refused: (refusal) => run.refused(refusal),
      outputEnded: (end) => {
        this.#ended = true;
        run.outputEnded(end);
      },
    };
  }

  #ask(queue: TurnQueue, conversation: ConversationProcess): void {
    const { given } = conversation.plan;
    const request = turnRequest(this.#plan.prompt, {}, { given, replaces: false });
    const turn = queue.add({ ...request, id: this.#run.report.run.id }, undefined);
    const { signal } = conversation.connection.ending;
    signal.addEventListener('abort', () => queue.failWaiting(() => conversation.unsent()), { once: true });
    // The machine receives its messages, and those of background work.
    void turn.feed.leave();
    turn.result().catch((error: Error) => {
      if (!(error instanceof NoResultError) && this.#run.feed.results.length === 0) this.#run.fail(error);
    });
  }

  #reportCost({ costs }: ConversationProcess, machine: StreamMachine): void {
    const { total } = costs.account;
    this.#run.spent(machine.tasks.size > 0 ? incomplete(total) : total);
  }
}
