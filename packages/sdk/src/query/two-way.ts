import type { PermissionDispatcher } from '../callbacks/permission-dispatch.ts';
import type { CoxswainError } from '../errors/base.ts';
import { NoResultError } from '../errors/stream.ts';
import { incomplete, NO_COST } from '../messages/turn-cost.ts';
import type { QueryPlan } from '../options/plan.ts';
import { NEVER_STARTED } from '../process/transport.ts';
import { LiveSession, type SessionTap } from '../session/live.ts';
import { planSessionRun } from '../session/session-plan.ts';
import { turnRequest } from '../session/turn.ts';
import type { FeedOptions } from '../stream/feed.ts';
import { currentContext } from '../timing/caller.ts';
import type { QueryRun, QuerySource } from './run.ts';
import { hasOpenWork, type StreamMachine } from './stream-machine.ts';

/**
 * Runs a query whose callbacks the CLI must be able to call: as a session of one turn. Control frames cannot wait for a
 * slow reader, so the backlog is bounded and the pipe is never paused.
 */
export class TwoWay<T> implements QuerySource {
  readonly twoWay = true;
  readonly feedOptions: FeedOptions;
  readonly #plan: QueryPlan<T>;
  readonly #run: QueryRun<T>;
  #live: LiveSession | undefined;
  /** stdout has ended. */
  #ended = false;

  constructor(plan: QueryPlan<T>, run: QueryRun<T>) {
    this.#plan = plan;
    this.#run = run;
    const { backlogBytes } = plan.limits;
    this.feedOptions = { drained: true, bufferBytes: backlogBytes, backlogBytes };
  }

  get pid(): number | undefined {
    return this.#live?.pid;
  }

  get sessionId(): string | undefined {
    return this.#live?.id;
  }

  get answering(): boolean {
    return (this.#live?.inbound.open ?? 0) > 0 || this.#live?.held.holding === true;
  }

  get permissions(): PermissionDispatcher | undefined {
    return this.#live?.inbound.permissions;
  }

  async start(): Promise<void> {
    // The signal and the clocks end the query, not just its turn.
    const clocks = { signal: undefined, timeoutMs: undefined, idleTimeoutMs: undefined };
    const plan = { ...this.#plan, options: Object.assign({}, this.#plan.options, clocks) };
    const { report, watchers, stderr } = this.#run;
    const extras = { tap: this.#tap(), report, watchers, stderr };
    const live = new LiveSession(planSessionRun(plan), currentContext(), extras);
    this.#live = live;
    void live.closed.then(this.#run.gone);
    this.#ask(live);
    try {
      await live.ready;
    } catch (error) {
      // A CLI that has left did start; how it left is the end of the query.
      if (!this.#ended) throw error;
    }
    this.#run.waiting(true);
  }

  get versionPending(): boolean {
    return this.#live?.cli.versionPending === true;
  }

  async versionKnown(): Promise<void> {
    await this.#live?.cli.versionKnown();
  }

  explained(failure: CoxswainError, stderr: string): CoxswainError {
    return this.#live?.cli.explained(failure, stderr) ?? failure;
  }

  leave(): void {
    // Not at once: the session has yet to see the result that ends its turn.
    queueMicrotask(() => {
      if (this.#run.state === 'pending-end') void this.#live?.stop();
    });
  }

  finish(how: 'leave' | 'stop', failure: Error | undefined, machine: StreamMachine): void {
    const live = this.#live;
    const end = (): void => this.#run.report.end(how === 'leave' ? 'ended' : 'stopped', failure);
    if (!live) {
      this.#run.spent(NO_COST);
      end();
      return this.#run.gone(NEVER_STARTED);
    }
    // A run that is cut off may still tell what it has spent while it leaves.
    if (this.#run.feed.results.length > 0 && !hasOpenWork(machine)) this.#tellCost(live, machine);
    if (failure && this.#ended) live.fail(failure);
    void live.stop();
    void live.closed.then(() => {
      this.#tellCost(live, machine);
      end();
    });
  }

  #tap(): SessionTap {
    const run = this.#run;
    return {
      message: (message, rawJson, at) => {
        if (message.type !== 'user' || message.isReplay !== true) run.message(message, rawJson, at);
        run.waiting(!this.answering);
      },
      feed: run.feed,
      awaited: (awaited) => run.waiting(!awaited),
      undecodable: (error, inARow) => run.undecodable(error, inARow),
      oversize: () => run.oversize(),
      failed: (error) => run.fail(error),
      refused: (refusal) => run.refused(refusal),
      ended: (end) => {
        this.#ended = true;
        run.outputEnded(end);
      },
    };
  }

  #ask(live: LiveSession): void {
    const request = turnRequest(this.#plan.prompt, {}, live);
    const turn = live.sendTurn({ ...request, id: this.#run.watchers.run.id });
    // The tap gets its messages, and those of background work.
    void turn.feed.leave();
    turn.result().catch((error: Error) => {
      if (!(error instanceof NoResultError) && this.#run.feed.results.length === 0) this.#run.fail(error);
    });
  }

  #tellCost(live: LiveSession, machine: StreamMachine): void {
    const { total } = live.costs.account;
    this.#run.spent(machine.tasks.size > 0 ? incomplete(total) : total);
  }
}
