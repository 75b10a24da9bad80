import type { LifecycleState } from '../connection/state.ts';
import type { RunPlan } from '../options/plan.ts';
import type { EventBody } from '../report/events.ts';
import { Report } from '../report/report.ts';
import type { WarnedOnce } from '../warnings/warned-once.ts';
import type { Warning } from '../warnings/warning.ts';

/** Receives the events of one CLI process. */
export interface ProcessListener {
  /** Numbers the events of all CLI processes. */
  readonly report: { event(event: EventBody): void };
  /** The messages of warnings that are given once per session. */
  readonly warned: WarnedOnce;
  stateChanged(state: LifecycleState): void;
}

/** Passes on the events of one CLI process, except those that mean the start or the end of the whole session. */
export class ProcessReport extends Report {
  readonly #listener: ProcessListener;

  constructor(listener: ProcessListener, { options, environment }: RunPlan) {
    super(options, environment.redact);
    this.#listener = listener;
  }

  override event(event: EventBody): void {
    // Only a session changes state.
    if (event.type === 'state-changed') this.#listener.stateChanged(event.state as LifecycleState);
    else if (!OF_THE_SESSION.has(event.type)) this.#listener.report.event(event);
  }

  override warn(warning: Warning): Warning {
    if (GIVEN_ONCE.has(warning.code) && !this.#listener.warned.isNew(warning.message)) return warning;
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
