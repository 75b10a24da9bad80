import type { RunPlan } from '../launch/plan.ts';
import type { EventBody } from '../report/events.ts';
import { Report } from '../report/report.ts';
import type { CostAccount } from '../session/cost-ledger.ts';
import { isFinal, type LifecycleState } from '../session/lifecycle.ts';
import { LiveSession } from '../session/live.ts';
import { Observers } from '../session/observers.ts';
import { planSessionRun, type SessionPlan } from '../session/session-plan.ts';
import type { InContext } from '../timing/caller.ts';
import { within } from '../timing/timers.ts';
import type { Warning } from '../warnings/warning.ts';
import type { Message } from '../wire/messages.ts';
import type { StartMode } from './resume-state.ts';

/** One CLI process of a restarting session. */
export interface Incarnation {
  readonly live: LiveSession;
  /** How it was given the conversation. */
  readonly mode: StartMode;
}

/** Where an incarnation reports. */
export interface IncarnationWatch {
  /** Of the whole session: numbers the events of all incarnations. */
  readonly report: Report;
  readonly observers: Observers;
  state(state: LifecycleState): void;
  message(message: Message, rawJson: string, turn: string | undefined): void;
}

/** What all incarnations of a session share. */
export interface IncarnationTerms {
  readonly inContext: InContext;
  readonly watch: IncarnationWatch;
  readonly account: CostAccount;
  /** The messages of warnings that are given once per session. */
  readonly said: Set<string>;
}

/** The plan of one incarnation. The caller's signal ends the whole session, so the incarnation does not get it. */
export function planIncarnation(plan: RunPlan): SessionPlan {
  return planSessionRun({ ...plan, options: { ...plan.options, signal: undefined } }, () => crypto.randomUUID());
}

/** Starts the CLI. With a `refusal` nothing is started, and `ready` rejects with it. */
export function openIncarnation(
  plan: SessionPlan,
  mode: StartMode,
  terms: IncarnationTerms,
  refusal?: Error,
): Incarnation {
  const live = new LiveSession(plan, terms.inContext, {
    refusal,
    report: new IncarnationReport(plan.run, terms),
    observers: new IncarnationObservers(terms.watch),
    account: terms.account,
    outlived: true,
  });
  return { live, mode };
}

/** True while the CLI of an incarnation can be asked and given prompts. */
export function isUsable(incarnation: Incarnation | undefined): incarnation is Incarnation {
  return incarnation?.live.state === 'running';
}

/** Whether an incarnation is over, or will be as soon as the exit of a CLI that cannot be written to is noticed. */
export async function diesNow({ live }: Incarnation): Promise<boolean> {
  if (!isFinal(live.state)) await within(2 * live.limits.exitReadMs, live.closed);
  return isFinal(live.state);
}

/** Passes on the events of an incarnation, except those that mean the start or the end of the whole session. */
class IncarnationReport extends Report {
  readonly #watch: IncarnationWatch;
  readonly #said: Set<string>;

  constructor({ options, environment }: RunPlan, { watch, said }: IncarnationTerms) {
    super(options, environment.redact, false);
    this.#watch = watch;
    this.#said = said;
  }

  override event(event: EventBody): void {
    if (event.type === 'state-changed')
      this.#watch.state(event.state as LifecycleState); // Only a session changes state.
    else if (!OF_THE_SESSION.has(event.type)) this.#watch.report.event(event);
  }

  override warn(warning: Warning): Warning {
    if (GIVEN_ONCE.has(warning.code)) {
      if (this.#said.has(warning.message)) return warning;
      this.#said.add(warning.message);
    }
    return super.warn(warning);
  }
}

const OF_THE_SESSION: ReadonlySet<EventBody['type']> = new Set(['ready', 'stopped', 'ended', 'failed']);

const GIVEN_ONCE: ReadonlySet<Warning['code']> = new Set([
  'capabilities-missing',
  'matcher-never-matches',
  'orphan-guard-unavailable',
  'permissions-shadowed',
  'unknown-cli-version',
  'unknown-message-type',
  'unknown-tool',
  'version-check-failed',
]);

/** Passes messages on to the observers of the whole session, which do not end with an incarnation. */
class IncarnationObservers extends Observers {
  readonly #watch: IncarnationWatch;

  constructor(watch: IncarnationWatch) {
    super(0);
    this.#watch = watch;
  }

  override message(message: Message, rawJson: string, turn: string | undefined, at: number): void {
    this.#watch.message(message, rawJson, turn);
    this.#watch.observers.message(message, rawJson, turn, at);
  }

  override end(): void {}
}
