import { type OptionProblem, OptionsError, type Report } from '../errors/options.ts';
import { suggest } from '../suggest.ts';
import type { UserContent } from '../wire/content.ts';
import { isJsonObject } from '../wire/kinds.ts';
import { at, kindOf, plainData, readable } from './checks.ts';
import { officialHint } from './names.ts';
import { optionChecks } from './table.ts';

/** The options of one turn, checked. `thinking` has become a number of tokens. */
export interface CheckedTurn {
  readonly model?: string;
  readonly permissionMode?: string;
  readonly maxThinkingTokens?: number | null;
  readonly timeoutMs?: number | undefined;
  readonly idleTimeoutMs?: number | undefined;
  readonly signal?: AbortSignal;
}

/** The options that a turn can change in a running process. */
export const turnOptionNames = [
  'model',
  'permissionMode',
  'thinking',
  'maxThinkingTokens',
  'timeoutMs',
  'idleTimeoutMs',
] as const;

const NAMES = [...turnOptionNames, 'signal'] as const;

/** A prompt and the options of its turn, or what is wrong with them. */
interface CheckedSend {
  readonly problem?: OptionsError;
  /** A copy of the prompt. */
  readonly content: UserContent;
  readonly turn: CheckedTurn;
}

/** Checks a prompt and the options of its turn; `defaults` are used for what these leave open. Never throws. */
export function checkTurn(prompt: unknown, options: unknown, defaults: CheckedTurn = {}): CheckedSend {
  const problems: OptionProblem[] = [];
  const report = (path: string, message: string): void => void problems.push({ path, message });
  const content = checkPrompt(prompt, report) ?? '';
  const turn: Record<string, unknown> = { ...defaults };
  const given = readable('options', report, () => (isJsonObject(options) ? { ...options } : {})) ?? {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const known = NAMES.find((candidate) => candidate === name);
    if (known === undefined) {
      report(name, officialHint(name) ?? notOfATurn(name));
      continue;
    }
    const good = readable(name, report, () => optionChecks[known](value, name, report));
    if (good === undefined) continue;
    if (known === 'thinking') turn.maxThinkingTokens = thinkingTokens(good);
    else turn[known] = good;
  }
  return problems.length > 0 ? { problem: new OptionsError(problems), content, turn: {} } : { content, turn };
}

/** Checks a prompt and returns the copy that is sent. */
export function checkPrompt(prompt: unknown, report: Report): UserContent | undefined {
  return readable('prompt', report, () => {
    if (typeof prompt !== 'string' && !Array.isArray(prompt)) {
      const meant = isJsonObject(prompt) && 'prompt' in prompt ? ' The call is query(prompt, options).' : '';
      const message = `must be a string or an array of content blocks, not ${kindOf(prompt)}.${meant}`;
      return void report('prompt', message);
    }
    const copy: unknown = typeof prompt === 'string' ? prompt : plainData(prompt, 'prompt', report);
    if (!isContent(copy, report)) return undefined;
    const blocks = typeof copy === 'string' ? [{ type: 'text', text: copy } as const] : copy;
    // One CLI refuses white space alone, another ends without output.
    const isEmpty = blocks.every((block) => block.type === 'text' && block.text.trim() === '');
    if (isEmpty) report('prompt', 'must not be empty.');
    return copy;
  });
}

/** `thinking` as a number of tokens; null, the CLI's default, for `adaptive` and for `enabled` without a number. */
export function thinkingTokens(thinking: unknown): number | null {
  if (!isJsonObject(thinking) || thinking.type === 'adaptive') return null;
  if (thinking.type === 'disabled') return 0;
  return typeof thinking.budgetTokens === 'number' ? thinking.budgetTokens : null;
}

function notOfATurn(name: string): string {
  const close = suggest(name, NAMES);
  return `is not an option of a turn${close ? `; did you mean ${close}?` : ': pass it to the session.'}`;
}

function isContent(copy: unknown, report: Report): copy is UserContent {
  if (typeof copy === 'string') return true;
  if (!Array.isArray(copy)) {
    report('prompt', 'must be an array of content blocks.');
    return false;
  }
  let good = true;
  for (const [index, block] of copy.entries()) {
    if (!isJsonObject(block) || typeof block.type !== 'string') {
      report(at('prompt', index), 'must be a content block: an object with a string type.');
      good = false;
    } else if (block.type === 'text' && typeof block.text !== 'string') {
      report(at(at('prompt', index), 'text'), `must be a string, not ${kindOf(block.text)}.`);
      good = false;
    }
  }
  return good;
}
