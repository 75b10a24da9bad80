import type { CliTraits, Ignorable, JsonObject, Rule, ScriptData, Step } from './script-data.ts';
import { stepsOf, type TurnScript } from './turn.ts';

/** Starts a script for a scripted agent: what it is, and how it answers which prompt. */
export function script(): Script {
  return new Script();
}

/** How a rule is used. */
export interface RuleOptions {
  /** How often the rule may answer; afterwards the next fitting one does. */
  readonly times?: number;
}

/** A scripted agent: rules that answer prompts, and the traits of the CLI it plays. Plain JSON in the end. */
export class Script {
  readonly #rules: Rule[] = [];
  readonly #start: Step[] = [];
  #cli: CliTraits = {
    version: '2.1.325',
    model: 'claude-opus-5-5',
    tools: null,
    paceMs: 0,
    rejectedFlags: [],
    sessions: null,
    ignores: [],
    initialize: {},
  };

  /** Answers prompts that fit: a text they contain, or a regular expression. The first fitting rule answers. */
  onPrompt(prompt: string | RegExp, build: (turn: TurnScript) => TurnScript, options: RuleOptions = {}): this {
    const pattern = typeof prompt === 'string' ? new RegExp(escaped(prompt)) : prompt;
    const { source, flags } = pattern;
    this.#rules.push({ prompt: { source, flags }, times: options.times ?? null, steps: stepsOf(build) });
    return this;
  }

  /** Answers every prompt no earlier rule answers. */
  otherwise(build: (turn: TurnScript) => TurnScript, options: RuleOptions = {}): this {
    this.#rules.push({ prompt: null, times: options.times ?? null, steps: stepsOf(build) });
    return this;
  }

  /** Happens as the process starts, before it reads anything: a crash, a warning on stderr, a hang. */
  atStart(build: (turn: TurnScript) => TurnScript): this {
    this.#start.push(...stepsOf(build));
    return this;
  }

  /** The version the CLI says it is. */
  version(version: string): this {
    return this.#set({ version });
  }

  /** What `--version` prints instead, and how it ends. */
  versionOutput(text: string, how: { readonly exitCode?: number; readonly delayMs?: number } = {}): this {
    return this.#set({ versionOutput: { text, exitCode: how.exitCode ?? 0, delayMs: how.delayMs ?? 0 } });
  }

  /** The model a session without `--model` runs on. */
  model(model: string): this {
    return this.#set({ model });
  }

  /** The tools `system/init` lists. */
  tools(...tools: string[]): this {
    return this.#set({ tools });
  }

  /** Milliseconds between the words of every text that sets no pace of its own. */
  pace(everyMs: number): this {
    return this.#set({ paceMs: everyMs });
  }

  /** Refuses these flags as unknown, as an older CLI would. */
  rejectFlags(...rejectedFlags: string[]): this {
    return this.#set({ rejectedFlags });
  }

  /** The only sessions `--resume` finds. Without it every well-formed id is found. */
  sessions(...sessions: string[]): this {
    return this.#set({ sessions });
  }

  /** Ignores signals, the end of its input, or control requests, from the start. */
  ignore(...what: Ignorable[]): this {
    return this.#set({ ignores: [...this.#cli.ignores, ...what] });
  }

  /** Fields merged into the answer to `initialize`. */
  initializeWith(fields: JsonObject): this {
    return this.#set({ initialize: { ...this.#cli.initialize, ...fields } });
  }

  /** The script as plain JSON. */
  toJSON(): ScriptData {
    return { cli: this.#cli, start: this.#start, rules: this.#rules };
  }

  #set(traits: Partial<CliTraits>): this {
    this.#cli = { ...this.#cli, ...traits };
    return this;
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
