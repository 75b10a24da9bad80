import type { Session, StreamItem } from 'coxswain';
import { EXIT } from '../exit-codes.ts';
import { failureLines } from '../render/failure.ts';
import type { Look } from '../render/look.ts';
import { statusLine } from '../render/status.ts';
import { nextSteps, permissionHints, resumeCommand, summaryLine } from '../render/summary.ts';
import { Transcript } from '../render/transcript.ts';
import type { Screen } from '../terminal/screen.ts';
import { CostWatch } from './cost-watch.ts';
import type { ShownEnd, View } from './view.ts';

/** What a person is shown. */
export interface HumanLook extends Look {
  /** Prints only the answer, when it is complete. */
  readonly quiet: boolean;
  /** The answer is the structured output, not the text before it. */
  readonly structured: boolean;
  readonly debug: boolean;
  readonly denied: readonly string[];
  /** The tool calls that the user refused when asked. */
  readonly refusedIds: ReadonlySet<string>;
  readonly command: 'run' | 'chat';
  /** Whether the conversation can be resumed later. */
  readonly resumable: boolean;
  /** Says what to do next. */
  readonly hints: boolean;
  /** Asks the CLI for the cost while a turn runs. */
  readonly watchesCost: boolean;
}

/** The answer on stdout as it arrives; tools, thoughts, status and summary on stderr. */
export class HumanView implements View {
  readonly #screen: Screen;
  readonly #look: HumanLook;
  #transcript: Transcript;
  #cost: CostWatch | undefined;
  #ticking: NodeJS.Timeout | undefined;
  #frame = 0;
  #since = 0;
  #waitsFor: string | undefined;

  constructor(screen: Screen, look: HumanLook) {
    this.#screen = screen;
    this.#look = look;
    this.#transcript = new Transcript(look);
  }

  begin(session: Session): void {
    this.#transcript = new Transcript(this.#look);
    this.#waitsFor = undefined;
    this.#since = performance.now();
    if (this.#look.quiet) return;
    if (this.#look.watchesCost) this.#cost ??= new CostWatch(session);
    clearInterval(this.#ticking);
    this.#ticking = setInterval(() => this.#tick(), TICK_MS);
    this.#tick();
  }

  async item(item: StreamItem): Promise<void> {
    const { quiet, structured } = this.#look;
    for (const piece of this.#transcript.take(item)) {
      if (quiet) continue;
      if (piece.kind === 'note') this.#screen.note(piece.text);
      else if (!structured) this.#screen.write(piece.text);
    }
    await this.#screen.drained();
  }

  waiting(why: string | undefined): void {
    this.#waitsFor = why;
  }

  end(end: ShownEnd): void {
    const { paint, quiet, denied, refusedIds, command, resumable, hints } = this.#look;
    this.#flush();
    this.#stopTicking();
    this.#answer(end);
    const { outcome, result, sessionId } = end;
    if (quiet && outcome.kind === 'completed') return;
    const { tools, tokens } = this.#transcript;
    const steps = hints
      ? [...permissionHints(result.permission_denials, denied, refusedIds), ...nextSteps(outcome, sessionId)]
      : [];
    const lines = [
      summaryLine({ ...end, toolCalls: tools.count, tokens: tokens.total }, paint),
      ...steps.map(hint),
      ...(resumable && command === 'run'
        ? [paint.dim(hint(`continue with: ${resumeCommand('run', sessionId)} "…"`))]
        : []),
    ];
    if (!quiet) this.#screen.note('');
    for (const line of lines) this.#screen.note(line);
  }

  failure(error: unknown, exitCode: number): void {
    const { paint, debug } = this.#look;
    this.#flush();
    this.#stopTicking();
    // After Ctrl-C the user knows why the result is missing.
    const lines = exitCode === EXIT.interrupted ? [paint.yellow('– interrupted')] : failureLines(error, paint, debug);
    for (const line of lines) this.#screen.note(line);
  }

  close(): void {
    this.#stopTicking();
    this.#screen.close();
  }

  /** Shows the answer at the end, if it was not shown as it arrived. */
  #answer({ outcome }: ShownEnd): void {
    if (outcome.kind !== 'completed') return;
    const { quiet, structured } = this.#look;
    if (structured) this.#screen.data(JSON.stringify(outcome.structuredOutput));
    else if ((quiet || !this.#transcript.saidSomething) && outcome.text !== '') {
      this.#screen.write(outcome.text.endsWith('\n') ? outcome.text : `${outcome.text}\n`);
    }
  }

  #flush(): void {
    for (const piece of this.#transcript.end(Date.now())) {
      if (this.#look.quiet) continue;
      if (piece.kind === 'note') this.#screen.note(piece.text);
      else if (!this.#look.structured) this.#screen.write(piece.text);
    }
  }

  #tick(): void {
    this.#frame += 1;
    const { paint, columns } = this.#look;
    const status = {
      elapsedMs: performance.now() - this.#since,
      tokens: this.#transcript.tokens.total,
      costUsd: this.#cost?.usd,
      activity: this.#waitsFor ?? this.#transcript.activity,
      key: this.#waitsFor === undefined ? 'Ctrl-C interrupts' : 'Ctrl-C ends',
    };
    this.#screen.status(statusLine(status, this.#frame, paint, columns()));
    this.#cost?.refresh();
  }

  #stopTicking(): void {
    clearInterval(this.#ticking);
    this.#screen.status('');
  }
}

const TICK_MS = 100;

function hint(text: string): string {
  return `  ${text}`;
}
