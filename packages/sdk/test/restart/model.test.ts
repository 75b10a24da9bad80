import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openSession } from '../../src/restart/open-session.ts';
import type { Session } from '../../src/session/session.ts';
import { FakeCli, settle } from '../support/fake-cli.ts';
import { assistant } from '../support/say.ts';

/** The possible next step. */
type Step = 'send' | 'begin' | 'say' | 'finish' | 'die' | 'break' | 'settle' | 'retract' | 'ask';

const steps = fc.array(
  fc.constantFrom<Step>('send', 'send', 'send', 'begin', 'say', 'finish', 'die', 'break', 'settle', 'retract', 'ask'),
  { maxLength: 40 },
);

it('[A-2] each turn has one outcome, turns stay in order, and each answer reaches its turn, for any sequence of events', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.constantFrom('never', 'unanswered'), async (plan, replay) => {
      const stage = new Stage(replay);
      for (const step of plan) await stage.play(step);
      await stage.finish();
      // Turns were answered in the order of sending.
      const answered = stage.outcomes.filter(({ how }) => how === 'answered').map(({ nth }) => nth);
      expect(answered).toEqual([...answered].sort((a, b) => a - b));
      expect(stage.outcomes.map(({ nth }) => nth).sort((a, b) => a - b)).toEqual([...Array(stage.sent).keys()]);
      for (const { nth, how } of stage.outcomes) expect(stage.expected(nth)).toContain(how);
      // Each prompt arrives once, and once more for each death that cut it off.
      for (let nth = 0; nth < stage.sent; nth++) {
        expect(stage.timesSeen(nth)).toBeLessThanOrEqual(replay === 'never' ? 1 : 1 + stage.deaths);
      }
      expect(stage.gaps).toEqual([]);
    }),
    { numRuns: 60 },
  );
}, 30_000);

/** A restarting session on in-memory CLIs, and a model of it: the turn at the CLI, and its output. */
class Stage {
  readonly outcomes: { nth: number; how: string }[] = [];
  readonly gaps: number[] = [];
  sent = 0;
  deaths = 0;
  readonly #clis: FakeCli[] = [];
  readonly #session: Session;
  readonly #turns: { interrupt(): Promise<unknown> }[] = [];
  readonly #retracted = new Set<number>();
  readonly #answered = new Set<string>();
  #seq = 0;
  #broken: FakeCli | undefined;
  /** A CLI that dies before the first handshake is a failed start and is not restarted. */
  #started = false;

  constructor(replay: 'never' | 'unanswered') {
    this.#session = openSession({
      transport: () => {
        const cli = new FakeCli();
        this.#clis.push(cli);
        return cli;
      },
      onEvent: ({ seq }) => {
        if (seq !== this.#seq++) this.gaps.push(seq);
      },
      restart: { delayMs: 0, maxRestarts: 1_000, idleExit: 'restart', replay },
    });
    this.#session.ready.then(
      () => {
        this.#started = true;
      },
      () => {},
    );
  }

  async play(step: Step): Promise<void> {
    const cli = this.#clis.at(-1);
    if (step !== 'send') this.#endBroken();
    const prompt = cli && this.#atWork(cli);
    if (step === 'send') this.#send();
    else if (step === 'settle') await settle();
    else if (step === 'ask') this.#session.mcpStatus().catch(() => {});
    else if (step === 'retract' && this.sent > 0) await this.#retract(this.sent - 1);
    else if (cli && !cli.hasExited && this.#started && (step === 'die' || step === 'break')) {
      this.deaths++;
      // Writes to a broken CLI fail, but its death is not detected yet: prompts are sent to it.
      if (step === 'break') this.#broken = cli;
      cli.hasExited = true;
      if (step === 'die') cli.die(1);
      if (step === 'die') await settle();
    } else if (cli && !cli.hasExited && prompt) {
      if (step === 'begin') cli.begin(prompt);
      if (step === 'say') cli.say(assistant('well'));
      if (step === 'finish') this.#finish(cli, prompt);
      await settle();
    }
  }

  /** From now on every CLI answers, and all turns end. */
  async finish(): Promise<void> {
    this.#endBroken();
    const idle = this.#session.idle().then(() => 'idle');
    for (;;) {
      const cli = this.#clis.at(-1);
      const prompt = cli && !cli.hasExited ? this.#atWork(cli) : undefined;
      if (cli && prompt) this.#finish(cli, prompt);
      if ((await Promise.race([idle, settle()])) === 'idle' && this.outcomes.length === this.sent) break;
    }
    await this.#session.close();
  }

  /** The possible outcomes of a turn according to the model. */
  expected(nth: number): string[] {
    if (this.#retracted.has(nth)) return ['TurnCancelledError', 'TurnInterruptedError', 'answered'];
    return ['TurnInterruptedError', 'answered'];
  }

  timesSeen(nth: number): number {
    return this.#clis.flatMap((cli) => cli.story).filter((words) => words === `prompt p${nth}`).length;
  }

  #endBroken(): void {
    this.#broken?.die(1);
    this.#broken = undefined;
  }

  #send(): void {
    const nth = this.sent++;
    const turn = this.#session.send(`p${nth}`);
    this.#turns.push(turn);
    turn.text().then(
      (text) => this.outcomes.push({ nth, how: text === `answer to p${nth}` ? 'answered' : `wrong: ${text}` }),
      (error: Error) => this.outcomes.push({ nth, how: error.name }),
    );
  }

  async #retract(nth: number): Promise<void> {
    this.#retracted.add(nth);
    await this.#turns[nth]?.interrupt().catch(() => {});
  }

  /** The last unanswered prompt of a CLI. */
  #atWork(cli: FakeCli): Awaited<ReturnType<FakeCli['got']>> | undefined {
    const prompts = cli.log.flatMap((entry) => (typeof entry !== 'string' && entry.type === 'user' ? [entry] : []));
    return prompts.find(({ uuid = '' }) => !this.#answered.has(uuid));
  }

  #finish(cli: FakeCli, prompt: Awaited<ReturnType<FakeCli['got']>>): void {
    this.#answered.add(prompt.uuid ?? '');
    cli.reply(prompt, `answer to ${prompt.message?.content}`);
  }
}
