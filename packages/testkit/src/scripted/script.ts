import { AMOUNT, COUNT, either, type Kind, type KindsOf, NAME, OBJECT, TEXT } from '@coxswain/shared/option-kinds';
import { PINNED_VERSION } from 'coxswain/cli';
import { checkArgument, checkOptions } from '../check-options.ts';
import type { JsonObject } from '../json.ts';
import type { Fault, FaultMoment, FaultRule, Ignorable } from './fault-data.ts';
import { faults } from './faults.ts';
import type { CliTraits, RequestAnswer, Rule, ScriptData, StartRule } from './script-data.ts';
import { stepsOf, type TurnScript } from './turn.ts';

/** Starts a script for a scripted agent: the properties of its CLI, and its answers to prompts. */
export function script(): Script {
  return new Script();
}

/** Options of a rule. */
export interface RuleOptions {
  /** How often the rule may answer in one run; then the next matching rule is used. */
  readonly times?: number;
  /** Only in this run of the agent, counted from 1; version probes do not count. */
  readonly inRun?: number;
}

/** The moment of a fault. */
export interface FaultOptions {
  /** The moment. Default: the start. */
  readonly when?: FaultMoment;
  /** Only the nth occurrence of the moment, counted from 1. */
  readonly nth?: number;
  /** Only in this run of the agent, counted from 1. */
  readonly inRun?: number;
}

/** A scripted agent: rules that answer prompts, and the properties of its CLI. `toJSON()` returns plain JSON. */
export class Script {
  readonly #rules: Rule[] = [];
  readonly #start: StartRule[] = [];
  readonly #faults: FaultRule[] = [];
  #cli: CliTraits = {
    version: PINNED_VERSION,
    model: 'claude-opus-5-5',
    tools: null,
    paceMs: 0,
    heartbeatMs: 30_000,
    rejectedFlags: [],
    sessions: [],
    initialize: {},
    answers: {},
  };

  /** Answers matching prompts: those that contain a text or match a regular expression. The first matching rule answers. */
  onPrompt(prompt: string | RegExp, build: (turn: TurnScript) => TurnScript, options: RuleOptions = {}): this {
    checkArgument('onPrompt(prompt)', prompt, either(TEXT, REG_EXP));
    const pattern = typeof prompt === 'string' ? new RegExp(escaped(prompt)) : prompt;
    const { source, flags } = pattern;
    return this.#rule('onPrompt()', { source, flags }, build, options);
  }

  /** Answers every prompt that no earlier rule answers. */
  otherwise(build: (turn: TurnScript) => TurnScript, options: RuleOptions = {}): this {
    return this.#rule('otherwise()', null, build, options);
  }

  /** Steps at the start of the process, before it reads anything: a crash, a warning on stderr, a hang. */
  atStart(build: (turn: TurnScript) => TurnScript, options: Pick<RuleOptions, 'inRun'> = {}): this {
    checkOptions('atStart()', options, { inRun: COUNT });
    this.#start.push({ inRun: options.inRun ?? null, steps: stepsOf(build) });
    return this;
  }

  /** Sets the reported version. */
  version(version: string): this {
    return this.#set({ version });
  }

  /** Sets the output and the exit code of `--version`. */
  versionOutput(text: string, how: { readonly exitCode?: number; readonly delayMs?: number } = {}): this {
    checkOptions('versionOutput()', how, { exitCode: AMOUNT, delayMs: AMOUNT });
    return this.#set({ versionOutput: { text, exitCode: how.exitCode ?? 0, delayMs: how.delayMs ?? 0 } });
  }

  /** Sets the model of a session without `--model`. */
  model(model: string): this {
    return this.#set({ model });
  }

  /** Sets the tools in `system/init`. */
  tools(...tools: string[]): this {
    return this.#set({ tools });
  }

  /** Sets the milliseconds between the words of every text without its own pace. */
  pace(everyMs: number): this {
    return this.#set({ paceMs: everyMs });
  }

  /** Sets the milliseconds between the progress messages (`tool_progress`) while a hook runs; 30 s by default. */
  heartbeat(everyMs: number): this {
    return this.#set({ heartbeatMs: everyMs });
  }

  /** Refuses these flags as unknown, like an older CLI. */
  rejectFlags(...rejectedFlags: string[]): this {
    return this.#set({ rejectedFlags });
  }

  /** Adds sessions from before the first run: `--resume` finds these and those of earlier runs of this agent. */
  sessions(...sessions: string[]): this {
    return this.#set({ sessions });
  }

  /** Adds a fault: from the start, or at a moment. */
  fault(fault: Fault, at: FaultOptions = {}): this {
    checkArgument('fault(fault)', fault, FAULT);
    checkOptions('fault()', at, FAULT_KINDS);
    const { when = 'start', nth = null, inRun = null } = at;
    this.#faults.push({ when, nth, inRun, fault });
    return this;
  }

  /** Ignores signals, the end of its input, or control requests, from the start. */
  ignore(...what: Ignorable[]): this {
    return this.fault(faults.ignore(...what));
  }

  /** Adds fields to the answer to `initialize`. */
  initializeWith(fields: JsonObject): this {
    return this.#set({ initialize: { ...this.#cli.initialize, ...fields } });
  }

  /** Answers a control request that the scripted CLI does not support, or would answer differently. */
  onRequest(subtype: string, answer: RequestAnswer): this {
    checkArgument('onRequest(subtype)', subtype, NAME);
    const kinds = 'error' in Object(answer) ? { error: TEXT, errorCode: TEXT } : { response: OBJECT };
    checkOptions(`onRequest('${subtype}')`, answer, kinds);
    return this.#set({ answers: { ...this.#cli.answers, [subtype]: answer } });
  }

  /** The script as plain JSON. */
  toJSON(): ScriptData {
    return { cli: this.#cli, start: this.#start, faults: this.#faults, rules: this.#rules };
  }

  #rule(where: string, prompt: Rule['prompt'], build: (turn: TurnScript) => TurnScript, options: RuleOptions): this {
    checkOptions(where, options, RULE_KINDS);
    const { times, inRun } = options;
    this.#rules.push({ prompt, times: times ?? null, inRun: inRun ?? null, steps: stepsOf(build) });
    return this;
  }

  #set(traits: Partial<CliTraits>): this {
    this.#cli = { ...this.#cli, ...traits };
    return this;
  }
}

/** @throws OptionsError for any value other than a script */
export function checkScript(path: string, value: unknown): void {
  checkArgument(path, value, { is: (given) => given instanceof Script, what: 'what script() returns' });
}

const RULE_KINDS: KindsOf<Required<RuleOptions>> = { times: COUNT, inRun: COUNT };

const MOMENTS = ['start', 'prompt', 'hook', 'permission', 'tool-call', 'result', 'input-end', 'signal'];
const MOMENT: Kind = {
  is: (value) => MOMENTS.includes(String(value)) || String(value).startsWith('request:'),
  what: `one of ${MOMENTS.join(', ')}, or request: with a subtype`,
};
const FAULT_KINDS: KindsOf<Required<FaultOptions>> = { when: MOMENT, nth: COUNT, inRun: COUNT };
const FAULT: Kind = { is: (value) => OBJECT.is(value) && 'fault' in Object(value), what: 'made with faults' };
const REG_EXP: Kind = { is: (value) => value instanceof RegExp, what: 'a regular expression' };

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
