import { steadyNow } from '../clock.ts';
import type { RequestOptions } from '../control/pending.ts';
import type { Limits } from '../limits.ts';
import { endProcess, sessionLadder } from '../process/shutdown.ts';
import { type ExitReport, NEVER_STARTED, type Transport } from '../process/transport.ts';
import { within } from '../timing/timers.ts';

/** How long the CLI has to answer each request to leave. */
const ANSWER_MS = 1_000;

/** What the end of a session needs from it. */
export interface EndingSession {
  readonly limits: Limits;
  readonly link: { readonly transport: Transport } | undefined;
  readonly inbound: { readonly open: number; stop(): Promise<void> };
  /** `quiet` is true when no turn runs or waits; `idle` resolves then. A raw session has no turns. */
  readonly turns?: { readonly quiet: boolean; idle(): Promise<void> };
  readonly requests: { send(subtype: string, payload: object, options: RequestOptions): Promise<unknown> };
}

/** Ends the process of a session, once: every call returns the same report. */
export class Ending {
  readonly #session: EndingSession;
  #report: Promise<ExitReport> | undefined;

  constructor(session: EndingSession) {
    this.#session = session;
  }

  /** Asks the CLI to leave, for at most `graceMs` in all; then SIGTERM, then SIGKILL. Does not keep the host process alive. */
  gracefully(): Promise<ExitReport> {
    this.#report ??= this.#gracefully();
    return this.#report;
  }

  /** SIGTERM, then SIGKILL, unless the session is ending already. `unref` lets the host process exit meanwhile. */
  now(unref: boolean): Promise<ExitReport> {
    this.#report ??= this.#climb(0, unref);
    return this.#report;
  }

  async #gracefully(): Promise<ExitReport> {
    const { link, limits, inbound } = this.#session;
    const began = steadyNow();
    const left = (): number => Math.max(0, limits.graceMs - (steadyNow() - began));
    await inbound.stop();
    // A transport that breaks its contract must not keep the process from being ended.
    if (link) await this.#sayGoodbye(link, left).catch(() => {});
    return this.#climb(left(), true);
  }

  async #climb(graceMs: number, unref: boolean): Promise<ExitReport> {
    const { link, limits } = this.#session;
    return link ? endProcess(link.transport, sessionLadder(limits, graceMs), unref) : NEVER_STARTED;
  }

  /**
   * `end_session` comes first: EOF first makes 2.1.197 run a tool whose guard can no longer be asked. stdin is closed only
   * when no turn runs and no request of the CLI is open.
   */
  async #sayGoodbye({ transport }: { readonly transport: Transport }, left: () => number): Promise<void> {
    const { turns, inbound } = this.#session;
    // The processes that the CLI leaves behind must be known before it is asked to leave.
    transport.ending?.();
    const gone = transport.exited.then(() => true);
    const step = (): number => Math.min(ANSWER_MS, left());
    if (await this.#ask('end_session', step(), gone)) {
      if (await within(step(), gone)) return;
    } else {
      const still = Promise.all([this.#ask('interrupt', step(), gone), turns?.idle()]);
      await within(step(), Promise.race([still, gone]));
    }
    if (left() === 0 || inbound.open > 0 || turns?.quiet === false) return;
    const closed = transport.endInput().catch(() => {});
    await within(step(), Promise.race([closed, gone]));
  }

  /** True when the CLI agreed, or is gone. */
  #ask(subtype: string, timeoutMs: number, gone: Promise<boolean>): Promise<boolean> {
    const answered = this.#session.requests.send(subtype, {}, { timeoutMs }).then(
      () => true,
      () => false,
    );
    return Promise.race([answered, gone]);
  }
}
