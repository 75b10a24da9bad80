import { onOneLine } from '@coxswain/inspector/text';
import type { Outcome, TokenCounts } from 'coxswain';
import type { PermissionDenial } from 'coxswain/types';
import type { Spent } from '../run/spent.ts';
import { count, duration, plural, usd } from './format.ts';
import { firstLine, harmless } from './measure.ts';
import type { Paint } from './paint.ts';
import { ruleFor } from './tool-call.ts';

/** The facts about a turn that has ended. */
export interface TurnEnd {
  /** The cost of the prompt and of all its background work. */
  readonly cost: Spent;
  readonly durationMs: number;
  readonly outcome: Outcome;
  readonly toolCalls: number;
  /** As counted while the turn ran, subagents included. */
  readonly tokens: number;
}

/** How the turn ended, in one line: `✓ completed · 12 s · 3 tool calls · 8.1k tokens · $0.0184`. */
export function summaryLine(end: TurnEnd, paint: Paint): string {
  const { outcome, durationMs, cost } = end;
  const facts = [
    duration(durationMs),
    ...(end.toolCalls > 0 ? [plural(end.toolCalls, 'tool call')] : []),
    `${count(Math.max(end.tokens, sumOf(cost.usage)))} tokens`,
    ...costs(end),
  ];
  return `${verdict(outcome, paint)} ${paint.dim(`· ${facts.join(' · ')}`)}`;
}

/** What to do next, for an outcome that is not a success. */
export function nextSteps(outcome: Outcome, sessionId: string | undefined): string[] {
  switch (outcome.kind) {
    case 'auth':
      return ['Run `claude` and log in with /login, or set ANTHROPIC_API_KEY. `cox doctor` shows what the CLI uses.'];
    case 'rate-limit':
      return [
        outcome.resetsAt === undefined
          ? 'Wait, then continue.'
          : `Wait until ${new Date(outcome.resetsAt).toISOString()}, then continue.`,
      ];
    case 'api-error':
      return ['Try again; `cox doctor` checks the network settings.'];
    case 'max-turns':
      return [`Raise --max-turns, or continue it: ${resumeCommand('run', sessionId)} "continue"`];
    case 'budget':
      return [`Raise --max-budget-usd, or continue it: ${resumeCommand('run', sessionId)} "continue"`];
    case 'no-such-session':
      return ['`cox sessions list` lists the conversations.'];
    case 'context-full':
      return ['Start a new conversation, or shorten this one with /compact in `cox chat`.'];
    case 'structured-output':
      return ['Make the schema simpler, or describe the output in the prompt.'];
    default:
      return [];
  }
}

/** How to allow the calls that were not permitted, except those that `denied` rules or the user refused. */
export function permissionHints(
  denials: readonly PermissionDenial[] | undefined,
  denied: readonly string[],
  refusedIds: ReadonlySet<string>,
): string[] {
  const rules = (denials ?? [])
    .filter(({ tool_use_id }) => !refusedIds.has(tool_use_id))
    .flatMap(({ tool_name, tool_input }) => ruleFor(tool_name, tool_input) ?? [])
    .filter((rule) => onOneLine(rule) === rule);
  const open = [...new Set(rules)].filter((rule) => !denied.some((deny) => deny.split('(')[0] === rule.split('(')[0]));
  if (open.length === 0) return [];
  const flags = open.map((rule) => `--allow '${rule.replaceAll("'", `'\\''`)}'`).join(' ');
  return [`${plural(open.length, 'tool call')} not permitted. To allow: ${flags}`];
}

/** The command that continues the conversation. */
export function resumeCommand(command: 'run' | 'chat', sessionId: string | undefined): string {
  return sessionId === undefined ? `cox ${command} --continue` : `cox ${command} --resume ${sessionId}`;
}

function verdict(outcome: Outcome, paint: Paint): string {
  if (outcome.kind === 'completed') return paint.green('✓ completed');
  const said = firstLine(harmless(outcome.message));
  const words = said === '' ? outcome.kind : `${outcome.kind}: ${said}`;
  return outcome.kind === 'interrupted' ? paint.yellow(`– ${words}`) : paint.red(`✗ ${words}`);
}

function costs({ cost }: TurnEnd): string[] {
  if (cost.costUsd === undefined) return [];
  // After the first turn, both are the same.
  return cost.costUsd === cost.totalCostUsd
    ? [usd(cost.costUsd)]
    : [`${usd(cost.costUsd)} (${usd(cost.totalCostUsd)} in total)`];
}

function sumOf(usage: TokenCounts): number {
  return usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheCreationTokens;
}
