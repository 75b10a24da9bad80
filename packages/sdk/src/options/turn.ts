import { type OptionProblem, OptionsError } from '../errors/options.ts';
import { isObject } from './checks.ts';
import { checkPrompt } from './prompt.ts';
import { suggest } from './suggest.ts';
import { optionSpecs } from './table.ts';

/** The options of one turn, checked. `thinking` has become a number of tokens. */
export interface CheckedTurn {
  readonly model?: string;
  readonly permissionMode?: string;
  readonly maxThinkingTokens?: number | null;
  readonly timeoutMs?: number;
  readonly idleTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

const NAMES = [
  'model',
  'permissionMode',
  'thinking',
  'maxThinkingTokens',
  'timeoutMs',
  'idleTimeoutMs',
  'signal',
] as const;

/** Checks a prompt and the options of its turn. Never throws. */
export function checkTurn(prompt: unknown, options: unknown): { problem?: OptionsError; turn: CheckedTurn } {
  const problems: OptionProblem[] = [];
  const report = (path: string, message: string): void => void problems.push({ path, message });
  checkPrompt(prompt, report);
  const turn: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(isObject(options) ? options : {})) {
    if (value === undefined) continue;
    const known = NAMES.find((candidate) => candidate === name);
    if (known === undefined) {
      const close = suggest(name, NAMES);
      report(name, `is not an option of a turn${close ? `; did you mean ${close}?` : ': give it to the session.'}`);
      continue;
    }
    const good = optionSpecs[known].check(value, name, report);
    if (good === undefined) continue;
    if (known === 'thinking') turn.maxThinkingTokens = thinkingTokens(good);
    else turn[known] = good;
  }
  return problems.length > 0 ? { problem: new OptionsError(problems), turn: {} } : { turn };
}

/** `thinking` as a number of tokens; `adaptive`, and `enabled` without a number, is what the CLI does by default. */
export function thinkingTokens(thinking: unknown): number | null {
  if (!isObject(thinking) || thinking.type === 'adaptive') return null;
  if (thinking.type === 'disabled') return 0;
  return typeof thinking.budgetTokens === 'number' ? thinking.budgetTokens : null;
}
