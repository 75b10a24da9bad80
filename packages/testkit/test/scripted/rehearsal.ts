import type { JsonObject } from '../../src/json.ts';
import type { CliEvent, Effect } from '../../src/scripted/interpreter/effects.ts';
import { Interpreter } from '../../src/scripted/interpreter/interpreter.ts';
import type { Script } from '../../src/scripted/script.ts';
import { sessionsInMemory } from '../../src/scripted/session-memory.ts';

/** A script played without a process: the clock stands still until it is told to run, and effects are kept in order. */
export class Rehearsal {
  readonly effects: Effect[] = [];
  readonly frames: JsonObject[] = [];
  readonly #interpreter: Interpreter;
  readonly #timers = new Map<number, number>();
  #now = 1_794_711_000_000;
  #ids = 0;

  constructor(script: Script, argv: readonly string[], env: Readonly<Record<string, string | undefined>> = {}) {
    this.#interpreter = new Interpreter(script.toJSON(), {
      argv,
      env: { HOME: '/home/user', ANTHROPIC_API_KEY: 'dummy', ...env },
      cwd: '/home/user/project',
      settings: undefined,
      pid: 4711,
      run: 1,
      sessions: sessionsInMemory(),
      now: () => this.#now,
      newId: () => {
        this.#ids += 1;
        return `00000000-0000-4000-9000-${String(this.#ids).padStart(12, '0')}`;
      },
    });
    this.handle({ event: 'start' });
  }

  get stderr(): string {
    return this.effects.map((effect) => (effect.effect === 'stderr' ? effect.text : '')).join('');
  }

  get exitCode(): number | undefined {
    const exit = this.effects.find((effect) => effect.effect === 'exit');
    return exit?.code;
  }

  /** Sends a frame over stdin. */
  send(frame: unknown): void {
    this.handle({ event: 'input', text: `${JSON.stringify(frame)}\n` });
  }

  /** Sends a prompt as the whole of stdin. */
  prompt(text: string): void {
    this.handle({ event: 'input', text });
    this.handle({ event: 'input-end' });
  }

  /** Advances the clock to the next timer; false when none is set. */
  tick(): boolean {
    const [next] = [...this.#timers].sort((a, b) => a[1] - b[1]);
    if (next === undefined) return false;
    const [timer, due] = next;
    this.#timers.delete(timer);
    this.#now = Math.max(this.#now, due);
    this.handle({ event: 'timer', timer });
    return true;
  }

  /** Advances the clock until no timer is left. */
  finish(): this {
    for (let ticks = 0; ticks < 10_000 && this.tick(); ticks += 1);
    return this;
  }

  handle(event: CliEvent): void {
    for (const effect of this.#interpreter.handle(event)) {
      this.effects.push(effect);
      if (effect.effect === 'write') {
        for (const line of effect.text.split('\n').filter((text) => text !== '')) this.frames.push(JSON.parse(line));
      } else if (effect.effect === 'set-timer') {
        this.#timers.set(effect.timer, this.#now + effect.ms);
      } else if (effect.effect === 'clear-timer') {
        this.#timers.delete(effect.timer);
      }
    }
  }
}
