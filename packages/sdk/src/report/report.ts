import type { Logger, SdkOptions } from '../options/option-types.ts';
import type { Redactor } from '../redact.ts';
import { isThenable } from '../timing/timers.ts';
import type { Warning } from '../warnings/warning.ts';
import type { EventBody, RunEvent } from './events.ts';
import { InOrder } from './in-order.ts';
import { copyOf, type PlainError, redactedData, redactedJson, redactedWarning } from './redacted.ts';

/** Gets every event as well; must not throw. */
interface Listener {
  event(event: RunEvent): void;
  /** What it gets besides events keeps one order with them. */
  readonly order: InOrder;
}

type ReportOptions = Pick<SdkOptions, 'logger' | 'onEvent' | 'onWarning' | 'onStderr'>;

/**
 * Tells the caller what happens: events, warnings, stderr lines and the log. Each callback gets copies, so what it does to
 * them has no effect, and neither has what it throws.
 */
export class Report {
  readonly #options: ReportOptions;
  readonly #redact: Redactor;
  readonly #listener: Listener | undefined;
  readonly #order: InOrder;
  #seq = 0;

  constructor(options: ReportOptions, redact: Redactor, listener?: Listener) {
    this.#options = options;
    this.#redact = redact;
    this.#listener = listener;
    this.#order = listener?.order ?? new InOrder();
  }

  event(body: EventBody): void {
    const event: RunEvent = { seq: this.#seq++, at: Date.now(), ...body };
    // One that gets it may cause the next event, which all others must not get before this one.
    this.#order.run(() => {
      this.#listener?.event(event);
      safely(() => this.#options.onEvent?.(copyOf(event)));
      if (event.type !== 'warning' && event.type !== 'stderr') this.log('debug', `coxswain: ${event.type}`, event);
    });
  }

  /** Reports a warning, and returns it as reported: without secrets. */
  warn(given: Warning): Warning {
    const warning = redactedWarning(given, this.#redact);
    safely(() => this.#options.onWarning?.(copyOf(warning)));
    this.event({ type: 'warning', warning });
    this.log('warn', warning.message, { code: warning.code });
    return warning;
  }

  stderr(line: string): void {
    safely(() => this.#options.onStderr?.(line));
    this.event({ type: 'stderr', line });
    this.log('trace', line, {});
  }

  /** The run is over. */
  end(how: 'ended' | 'stopped', failure: Error | undefined): void {
    if (failure === undefined) {
      this.event({ type: how });
      return;
    }
    this.event({ type: 'failed', error: this.shown(failure) });
    this.log('error', failure.message, { name: failure.name });
  }

  /** An error as an event shows it. */
  shown(error: Error): PlainError {
    return redactedJson(error, this.#redact);
  }

  log(level: keyof Logger, message: string, fields: object): void {
    safely(() => this.#options.logger?.[level](redactedData(fields, this.#redact), this.#redact(message)));
  }
}

/** Calls a callback that only watches: what it throws, or rejects with, changes nothing. */
export function safely(call: () => unknown): void {
  try {
    const returned = call();
    // The failure of an async callback must not become an unhandled rejection.
    if (isThenable(returned)) Promise.resolve(returned).catch(() => {});
  } catch {
    // It cannot break what it watches.
  }
}
