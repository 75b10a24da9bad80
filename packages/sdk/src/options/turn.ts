import { suggest } from '@coxswain/shared/unknown-name';
import { type OptionProblem, OptionsError, type Report } from '../errors/options.ts';
import type { UserContent } from '../wire/content.ts';
import { isJsonObject } from '../wire/kinds.ts';
import { at, kindOf, plainData, plainFields, readable } from './checks.ts';
import { officialHint } from './names.ts';
import type { AgentOptions } from './option-types.ts';
import { isKeptByConversation, isTurnProcessOption, processOptionNames } from './process-options.ts';
import { optionChecks } from './table.ts';

/** The checked options of one turn, with `thinking` converted to a number of tokens. */
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

/** A prompt and the options of its turn, or their problems. */
interface CheckedSend {
  readonly problem?: OptionsError;
  /** A copy of the prompt. */
  readonly content: UserContent;
  readonly turn: CheckedTurn;
  /** The CLI must be started with these. */
  readonly process: AgentOptions;
}

/**
 * Checks a prompt and the options of its turn, with `defaults` for options that are not set. Refuses options that the CLI
 * reads at its start, unless the session `replaces` its CLI. Never throws.
 */
export function checkTurn(
  prompt: unknown,
  options: unknown,
  defaults: CheckedTurn = {},
  replaces = false,
): CheckedSend {
  const problems: OptionProblem[] = [];
  const report = (path: string, message: string): void => void problems.push({ path, message });
  const content = checkPrompt(prompt, report) ?? '';
  const turn: Record<string, unknown> = { ...defaults };
  const atStart: Record<string, unknown> = {};
  const given = readable('options', report, () => plainFields(options ?? {}, 'options', report));
  for (const [name, value] of given ?? []) {
    if (value === undefined) continue;
    const known = NAMES.find((candidate) => candidate === name);
    if (isTurnProcessOption(name)) {
      if (replaces) atStart[name] = readable(name, report, () => optionChecks[name](value, name, report));
      else report(name, ONLY_AT_START);
      continue;
    }
    if (known === undefined) {
      report(name, officialHint(name) ?? notATurnOption(name));
      continue;
    }
    const good = readable(name, report, () => optionChecks[known](value, name, report));
    if (good === undefined) continue;
    if (known === 'thinking') turn.maxThinkingTokens = thinkingTokens(good);
    else turn[known] = good;
  }
  if (problems.length > 0) return { problem: new OptionsError(problems), content, turn: {}, process: {} };
  return { content, turn, process: atStart };
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
    // Some releases refuse a blank prompt, others exit without output.
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

const ONLY_AT_START =
  'is read by the CLI when it starts, so this session cannot change it for a turn: pass it to openSession, or open the session with restart, which starts another CLI for the turn.';

const KEPT =
  'cannot be changed for a turn: the CLI keeps the original system prompt of a conversation. Put the instructions into the prompt, or open another session.';

function notATurnOption(name: string): string {
  if (isKeptByConversation(name)) return KEPT;
  const close = suggest(name, [...NAMES, ...processOptionNames.filter(isTurnProcessOption)]);
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
