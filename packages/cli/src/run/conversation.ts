import {
  type AgentOptions,
  type Outcome,
  openSession,
  outcomeOf,
  type ResultMessage,
  type Session,
  type Turn,
  type TurnCost,
} from 'coxswain';
import type { RateLimitEventMessage } from 'coxswain/types';
import { EXIT, type ExitCode, exitCodeOf } from '../exit-codes.ts';
import { CtrlC } from '../terminal/ctrl-c.ts';
import { whenOutputEnds } from '../terminal/output-end.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { Background } from './background.ts';
import { Spending } from './spent.ts';
import type { View } from './view.ts';

/** Options of a prompt. */
export interface PlayOptions {
  /** False if the output of background work can be shown later. */
  readonly waits?: boolean;
}

/** One session on the terminal: turns are shown as they run, one Ctrl-C interrupts the turn, and a second ends the command. */
export class Conversation implements AsyncDisposable {
  readonly ctrlC: CtrlC;
  readonly background: Background;
  readonly #session: Session;
  readonly #view: View;
  readonly #needsOutput: boolean;
  readonly #spending: Spending;
  /** What Ctrl-C interrupts now. */
  #interruptible: Pick<Session, 'interrupt'> | Pick<Turn, 'interrupt'> | undefined;
  /** Aborted to stop waiting for background work. */
  #enough = new AbortController();
  #since = 0;
  #lastResult: ResultMessage | undefined;
  /** The last rate limit event, which has the reset time that a result lacks. */
  #rateLimit: RateLimitEventMessage | undefined;
  /** Why the session ended: more precise than the error of the turn that could not be sent. */
  #startError: unknown;
  /** Stdout has failed; the exit code reports why. */
  #isUnread = false;
  #ending: Promise<unknown> | undefined;

  constructor(options: AgentOptions, view: View, terminal: Terminal) {
    this.#view = view;
    this.#session = openSession(options);
    this.background = new Background(this.#session, view);
    this.#spending = new Spending(this.#session);
    this.#session.ready.catch((error: unknown) => {
      this.#startError = error;
    });
    this.#needsOutput = options.outputSchema !== undefined;
    whenOutputEnds(terminal, () => {
      this.#isUnread = true;
      void this.#end(SHORT_MS);
    });
    this.ctrlC = new CtrlC({
      interrupt: () => this.#interrupt(),
      end: () => void this.#end(SHORT_MS),
      kill: () => process.exit(EXIT.interrupted),
    });
  }

  get session(): Session {
    return this.#session;
  }

  /** True once it accepts no more prompts. */
  get isOver(): boolean {
    return this.#ending !== undefined || FINAL.has(this.#session.state);
  }

  get lastResult(): ResultMessage | undefined {
    return this.#lastResult;
  }

  /** Sends a prompt, shows its turn, and returns how it ended. Never rejects. */
  async play(prompt: string, { waits = true }: PlayOptions = {}): Promise<ExitCode> {
    this.#begin();
    try {
      await this.background.show();
      const turn = this.#session.send(prompt);
      this.#interruptible = turn;
      for await (const item of turn.items()) {
        if (item.kind === 'message' && item.message.type === 'rate_limit_event') this.#rateLimit = item.message;
        await this.#view.item(item);
      }
      const result = await turn.result();
      const cost = await turn.cost();
      this.#interruptible = undefined;
      if (!waits) return this.#ended(result, cost);
      const { result: last = result, isCutOff } = await this.background.over(this.#enough.signal);
      return this.#ended(last, cost, isCutOff);
    } catch (error) {
      return this.#failed(error);
    } finally {
      this.#interruptible = undefined;
      this.background.hold();
    }
  }

  /** Shows the turn that the CLI has started itself, or waits for the answer to the open question. Never rejects. */
  async follow(): Promise<ExitCode> {
    this.#begin();
    this.#interruptible = this.#session;
    try {
      await this.background.show();
      const result = await this.background.turn();
      if (result !== undefined) return this.#ended(result);
      this.#view.close();
      return EXIT.ok;
    } catch (error) {
      return this.#failed(error);
    } finally {
      this.#interruptible = undefined;
      this.background.hold();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#view.close();
    this.background[Symbol.dispose]();
    await this.#end(this.ctrlC.presses > 0 ? SHORT_MS : LONG_MS);
    this.ctrlC[Symbol.dispose]();
  }

  #begin(): void {
    this.ctrlC.reset();
    this.#since = performance.now();
    this.#enough = new AbortController();
    this.#view.begin(this.#session);
  }

  #ended(result: ResultMessage, cost?: TurnCost, isCutOff = false): ExitCode {
    const judged = this.#judged(outcomeOf(result, { rateLimit: this.#rateLimit }));
    const outcome = isCutOff && judged.kind === 'completed' ? CUT_OFF : judged;
    const exitCode = this.#isUnread ? EXIT.ok : exitCodeOf(outcome);
    this.#lastResult = result;
    this.#view.end({
      result,
      outcome,
      exitCode,
      cost: this.#spending.with(cost),
      // A recording may play faster than it was made; its result has the original time.
      durationMs: Math.max(Math.round(performance.now() - this.#since), result.duration_ms),
      sessionId: this.#session.id,
    });
    return exitCode;
  }

  /** A turn without the JSON it should return has failed, even if the CLI reports success. */
  #judged(outcome: Outcome): Outcome {
    if (!this.#needsOutput || outcome.kind !== 'completed' || outcome.structuredOutput !== undefined) return outcome;
    return { kind: 'structured-output', message: 'the model returned no JSON for the schema' };
  }

  #failed(failure: unknown): ExitCode {
    const error = this.#startError ?? failure;
    if (this.#isUnread) return EXIT.ok;
    const isUsage = error instanceof Error && 'code' in error && error.code === 'options';
    const exitCode = this.ctrlC.presses > 0 ? EXIT.interrupted : isUsage ? EXIT.usage : EXIT.failed;
    this.#view.failure(error, exitCode);
    return exitCode;
  }

  #interrupt(): void {
    this.#enough.abort();
    if (this.#interruptible === undefined) return;
    this.#view.waiting('interrupting');
    this.#interruptible.interrupt().catch(() => void this.#end(SHORT_MS));
  }

  /** Closes gracefully, but only briefly after a second Ctrl-C; the exit kills remaining processes. */
  #end(patienceMs: number): Promise<unknown> {
    this.#enough.abort();
    this.#view.waiting('ending');
    this.#ending ??= Promise.race([this.#session.close(), patience(patienceMs)]);
    return this.#ending;
  }
}

/** The answer was complete, but the agent's background work was not. */
const CUT_OFF: Outcome = { kind: 'interrupted', during: 'tools', message: 'work in the background was cut off' };

const FINAL: ReadonlySet<string> = new Set(['stopped', 'ended', 'failed']);

/** For a user who waits at the terminal. */
const SHORT_MS = 2_000;
/** A little longer than a session that refuses to end can take. */
const LONG_MS = 12_000;

function patience(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}
