import { type PlainError, redactedJson, redactedWarning } from '../errors/redacted.ts';
import { outcomeOf } from '../messages/outcome.ts';
import type { AgentOptions, Logger } from '../options/option-types.ts';
import type { Redactor } from '../redact.ts';
import { redactedData } from '../redacted-data.ts';
import type { ItemFeed } from '../stream/feed.ts';
import type { KeptWarnings } from '../stream/kept-warnings.ts';
import type { Warning } from '../warnings/warning.ts';
import type { Message } from '../wire/messages.ts';
import { Audience } from './audience.ts';
import type { EventBody } from './events.ts';
import { observedRun, watcherOf } from './observers.ts';
import type { ObservedPrompt, ObservedRun, RunObserver } from './run-observer.ts';

/** A turn or a query with a new prompt. */
interface ReportedTurn {
  /** A turn that is sent again changes its id. */
  readonly id: string;
  readonly content: ObservedPrompt['content'];
  readonly feed: Pick<ItemFeed, 'ended' | 'cost' | 'results'>;
}

interface ReportParts {
  readonly run: ObservedRun;
  readonly audience: Audience;
  readonly redact: Redactor;
  /** For queries, which list their warnings. A session may run for days and keeps none. */
  readonly kept?: KeptWarnings | undefined;
}

/**
 * Collects the events, warnings, stderr lines, messages and log lines of a run. It removes secrets, and builds nothing that
 * has no receiver.
 */
export class Report {
  readonly run: ObservedRun;
  readonly audience: Audience;
  readonly #redact: Redactor;
  readonly #kept: KeptWarnings | undefined;

  constructor({ run, audience, redact, kept }: ReportParts) {
    this.run = run;
    this.audience = audience;
    this.#redact = redact;
    this.#kept = kept;
  }

  /** The kept warnings. */
  get warnings(): readonly Warning[] {
    return this.#kept?.list ?? [];
  }

  /** A report to the same audience with the secrets of one CLI process. */
  ofProcess(redact: Redactor): Report {
    return new Report({ run: this.run, audience: this.audience, redact });
  }

  /** The returned function removes it. */
  observe(observer: RunObserver): () => void {
    return this.audience.add(watcherOf(observer, this.run));
  }

  /** `bytes` is the size of the event, if known. */
  event(body: EventBody, bytes?: number): void {
    this.audience.event(body, bytes);
  }

  /** If nobody receives the event, counts it without building it and returns true; otherwise returns false. */
  skip(): boolean {
    return this.audience.skip();
  }

  /** Reports a warning, and returns it as reported: without secrets. */
  warn(given: Warning): Warning {
    const warning = redactedWarning(given, this.#redact);
    this.audience.warning(warning);
    if (!this.skip()) this.event({ type: 'warning', warning });
    this.log('warn', warning.message, { code: warning.code });
    this.#kept?.add(warning);
    return warning;
  }

  stderr(line: string): void {
    this.audience.stderr(line);
    if (!this.skip()) this.event({ type: 'stderr', line });
    this.log('trace', line, {});
  }

  /** A message, and the turn it belongs to. */
  message(message: Message, rawJson: string, turn: string | undefined, at: number): void {
    if (this.audience.hearsMessages)
      this.audience.message({ kind: 'message', message, rawJson, turn: turn ?? null, at });
  }

  prompt(prompt: ObservedPrompt): void {
    this.audience.prompt(prompt);
  }

  /** Reports a prompt, and later the end of its turn. */
  turn(turn: ReportedTurn, { job = null, at = Date.now() }: Partial<Pick<ObservedPrompt, 'job' | 'at'>> = {}): void {
    if (!this.audience.hasWatchers) return;
    this.prompt({ turn: turn.id, content: turn.content, steers: false, job, at });
    const { ended, cost } = turn.feed;
    // Both never reject.
    void Promise.all([ended, cost]).then(([failure, cost]) => {
      const result = turn.feed.results.at(-1);
      const outcome = result ? outcomeOf(result).kind : null;
      const error = failure ? redactedJson(failure, this.#redact) : null;
      this.audience.turnEnded({ turn: turn.id, outcome, error, cost });
    });
  }

  /** The environment variables that observers add to a CLI process. */
  environment(): Readonly<Record<string, string>> {
    return this.audience.environment();
  }

  /** The run has ended. */
  end(how: 'ended' | 'stopped', failure: Error | undefined): void {
    if (failure === undefined) {
      this.event({ type: how });
      return;
    }
    if (!this.skip()) this.event({ type: 'failed', error: this.shown(failure) });
    this.log('error', failure.message, { name: failure.name });
  }

  /** An error in the form used in events. */
  shown(error: Error): PlainError {
    return redactedJson(error, this.#redact);
  }

  log(level: keyof Logger, message: string, fields: object): void {
    if (!this.audience.hasLogger) return;
    this.audience.log(level, this.#redact(message), redactedData(fields, this.#redact));
  }
}

interface ReportedPlan {
  readonly options: AgentOptions;
  readonly environment: { readonly redact: Redactor };
  readonly limits: { readonly observerBytes: number };
}

interface ReportOptions {
  readonly pool?: ObservedRun['pool'];
  /** A run that is refused is not observed. */
  readonly refused?: boolean;
  readonly kept?: KeptWarnings | undefined;
}

/** Opens the report of a query or a session: calls the observers, in the context of the caller. */
export function openReport(
  kind: ObservedRun['kind'],
  { options, environment: { redact }, limits }: ReportedPlan,
  { pool, refused = false, kept }: ReportOptions = {},
): Report {
  const run = observedRun(kind, options, redact, pool);
  const audience = new Audience<EventBody>(options, {
    redact,
    unreadBytes: limits.observerBytes,
    // Only a session has a reader of events.
    keepsEarly: kind === 'session',
  });
  const report = new Report({ run, audience, redact, kept });
  if (!refused) for (const observer of options.observers ?? []) report.observe(observer);
  return report;
}
