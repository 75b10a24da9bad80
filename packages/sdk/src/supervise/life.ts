import type { RunPlan } from '../launch/plan.ts';
import type { EventBody } from '../report/events.ts';
import { Report } from '../report/report.ts';
import type { CostAccount } from '../session/cost-ledger.ts';
import { SessionHandle } from '../session/handle.ts';
import { isFinal, type LifecycleState } from '../session/lifecycle.ts';
import { LiveSession } from '../session/live.ts';
import { Observers } from '../session/observers.ts';
import type { SessionPlan } from '../session/session-plan.ts';
import type { InContext } from '../timing/caller.ts';
import { within } from '../timing/timers.ts';
import type { Warning } from '../warnings/warning.ts';
import type { Message } from '../wire/messages.ts';
import type { Takeover } from './conversation.ts';

/** One process of the CLI, from its start to its end. */
export interface Life {
  readonly live: LiveSession;
  /** What can be asked of it. */
  readonly session: SessionHandle<unknown>;
  /** How it took the conversation up. */
  readonly how: Takeover;
}

/** What is told of a life. */
export interface LifeWatch {
  /** The session as a whole; numbers the events of all its lives. */
  readonly report: Report;
  readonly observers: Observers;
  state(state: LifecycleState): void;
  message(message: Message, rawJson: string, turn: string | undefined): void;
}

/** What all lives have in common. */
export interface LifeTerms {
  readonly inContext: InContext;
  readonly watch: LifeWatch;
  readonly account: CostAccount;
  /** Warnings that say the same in each life. */
  readonly said: Set<string>;
}

/** Starts the CLI. With a `refusal` nothing is started, and there is only that error to give. */
export function openLife(plan: SessionPlan, how: Takeover, terms: LifeTerms, refusal?: Error): Life {
  const live = new LiveSession(plan, terms.inContext, {
    refusal,
    report: new LifeReport(plan.run, terms),
    observers: new LifeObservers(terms.watch),
    account: terms.account,
    outlived: true,
  });
  const nothingToFork = (): never => {
    throw new TypeError('A life is not forked; its supervised session is.');
  };
  return { live, how, session: new SessionHandle(live, [], nothingToFork) };
}

/** Passes on what happens in a life, except what would sound like the end or the beginning of the whole session. */
class LifeReport extends Report {
  readonly #watch: LifeWatch;
  readonly #said: Set<string>;

  constructor({ options, environment }: RunPlan, { watch, said }: LifeTerms) {
    super(options, environment.redact, false);
    this.#watch = watch;
    this.#said = said;
  }

  override event(event: EventBody): void {
    if (event.type === 'state-changed')
      this.#watch.state(event.state as LifecycleState); // Only a session changes state.
    else if (!OF_THE_WHOLE.has(event.type)) this.#watch.report.event(event);
  }

  override warn(warning: Warning): Warning {
    if (SAID_ONCE.has(warning.code)) {
      if (this.#said.has(warning.message)) return warning;
      this.#said.add(warning.message);
    }
    return super.warn(warning);
  }
}

const OF_THE_WHOLE: ReadonlySet<EventBody['type']> = new Set(['ready', 'stopped', 'ended', 'failed']);

const SAID_ONCE: ReadonlySet<Warning['code']> = new Set([
  'matcher-never-matches',
  'orphan-guard-unavailable',
  'permissions-shadowed',
  'unknown-cli-version',
  'unknown-message-type',
  'unknown-tool',
  'version-check-failed',
]);

/** Passes messages on to those who observe the whole session; they do not end with a life. */
class LifeObservers extends Observers {
  readonly #watch: LifeWatch;

  constructor(watch: LifeWatch) {
    super(0);
    this.#watch = watch;
  }

  override message(message: Message, rawJson: string, turn: string | undefined, at: number): void {
    this.#watch.message(message, rawJson, turn);
    this.#watch.observers.message(message, rawJson, turn, at);
  }

  override end(): void {}
}

/** True while the CLI of a life can be asked and told. */
export function isUsable(life: Life | undefined): life is Life {
  return life?.live.state === 'running';
}

/** Whether a life is over, or will be as soon as the exit of a CLI that nothing can be written to is noticed. */
export async function diesNow({ live }: Life): Promise<boolean> {
  if (!isFinal(live.state)) await within(2 * live.limits.exitReadMs, live.closed);
  return isFinal(live.state);
}
