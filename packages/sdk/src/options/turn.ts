import { type OptionProblem, OptionsError } from '../errors/options.ts';
import type { UserContent } from '../wire/messages.ts';
import { isObject } from './checks.ts';
import { officialHint } from './official-names.ts';
import { checkPrompt } from './prompt.ts';
import { suggest } from './suggest.ts';
import { optionChecks } from './table.ts';

/** The options of one turn, checked. `thinking` has become a number of tokens. */
export interface CheckedTurn {
  readonly model?: string;
  readonly permissionMode?: string;
  readonly maxThinkingTokens?: number | null;
  readonly timeoutMs?: number;
  readonly idleTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** What a turn can change of a process that runs already. */
export const turnOptionNames = [
  'model',
  'permissionMode',
  'thinking',
  'maxThinkingTokens',
  'timeoutMs',
  'idleTimeoutMs',
] as const;

const NAMES = [...turnOptionNames, 'signal'] as const;

/** What is sent and how, or what is wrong with it. */
interface CheckedSend {
  readonly problem?: OptionsError;
  /** A copy of the prompt. */
  readonly content: UserContent;
  readonly turn: CheckedTurn;
}

/** Checks a prompt and the options of its turn. Never throws. */
export function checkTurn(prompt: unknown, options: unknown): CheckedSend {
  const problems: OptionProblem[] = [];
  const report = (path: string, message: string): void => void problems.push({ path, message });
  const content = checkPrompt(prompt, report) ?? '';
  const turn: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(isObject(options) ? options : {})) {
    if (value === undefined) continue;
    const known = NAMES.find((candidate) => candidate === name);
    if (known === undefined) {
      report(name, officialHint(name) ?? notOfATurn(name));
      continue;
    }
    const good = optionChecks[known](value, name, report);
    if (good === undefined) continue;
    if (known === 'thinking') turn.maxThinkingTokens = thinkingTokens(good);
    else turn[known] = good;
  }
  return problems.length > 0 ? { problem: new OptionsError(problems), content, turn: {} } : { content, turn };
}

function notOfATurn(name: string): string {
  const close = suggest(name, NAMES);
  return `is not an option of a turn${close ? `; did you mean ${close}?` : ': give it to the session.'}`;
}

/** `thinking` as a number of tokens; `adaptive`, and `enabled` without a number, is what the CLI does by default. */
export function thinkingTokens(thinking: unknown): number | null {
  if (!isObject(thinking) || thinking.type === 'adaptive') return null;
  if (thinking.type === 'disabled') return 0;
  return typeof thinking.budgetTokens === 'number' ? thinking.budgetTokens : null;
}
