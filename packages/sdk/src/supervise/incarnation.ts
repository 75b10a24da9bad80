import type { RunPlan } from '../options/plan.ts';
import type { EventBody } from '../report/events.ts';
import { Report } from '../report/report.ts';
import { isFinal, type LifecycleState } from '../session/lifecycle.ts';
import type { LiveSession } from '../session/live.ts';
import { within } from '../timing/timers.ts';
import type { Warning } from '../warnings/warning.ts';
import type { Supervisor } from './supervisor.ts';

/** Whether a CLI is gone, or will be as soon as the exit of one that cannot be written to is noticed. */
export async function diesNow(live: LiveSession): Promise<boolean> {
  if (!isFinal(live.state)) await within(2 * live.limits.exitReadMs, live.closed);
  return isFinal(live.state);
}

/** Passes on the events of one CLI process, except those that mean the start or the end of the whole session. */
export class IncarnationReport extends Report {
  readonly #supervisor: Supervisor;

  constructor(supervisor: Supervisor, { options, environment }: RunPlan) {
    super(options, environment.redact);
    this.#supervisor = supervisor;
  }

  override event(event: EventBody): void {
    // Only a session changes state.
    if (event.type === 'state-changed') this.#supervisor.stateChanged(event.state as LifecycleState);
    else if (!OF_THE_SESSION.has(event.type)) this.#supervisor.report.event(event);
  }

  override warn(warning: Warning): Warning {
    const { said } = this.#supervisor;
    if (GIVEN_ONCE.has(warning.code)) {
      if (!said.isNew(warning.message)) return warning;
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
