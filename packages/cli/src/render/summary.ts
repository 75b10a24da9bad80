import { costOf, type PermissionDenial, type ResultMessage, type RunOutcome } from 'coxswain';
import { count, duration, plural, usd } from './format.ts';
import { firstLine, harmless } from './measure.ts';
import type { Paint } from './paint.ts';
import { tokensOf } from './tokens.ts';
import { ruleFor } from './tool-call.ts';

/** What is said when a turn has ended. */
export interface TurnEnd {
  readonly result: ResultMessage;
  /** The result before it in the same process: costs are counted by the process. */
  readonly previous: ResultMessage | undefined;
  readonly outcome: RunOutcome;
  readonly toolCalls: number;
  /** As far as they were counted while the turn ran; subagents included. */
  readonly tokens: number;
}

/** How the turn ended, in one line: `✓ completed · 12 s · 3 tool calls · 8.1k tokens · $0.0184`. */
export function summaryLine(end: TurnEnd, paint: Paint): string {
  const { result, outcome } = end;
  const facts = [
    duration(result.duration_ms),
    ...(end.toolCalls > 0 ? [plural(end.toolCalls, 'tool call')] : []),
    `${count(Math.max(end.tokens, tokensOf(result.usage)))} tokens`,
    ...costs(end),
  ];
  return `${verdict(outcome, paint)} ${paint.dim(`· ${facts.join(' · ')}`)}`;
}

/** What to do now, for an end that was not a success. */
export function nextSteps(outcome: RunOutcome, sessionId: string | undefined): string[] {
  switch (outcome.kind) {
    case 'auth':
      return ['Run `claude` and log in with /login, or set ANTHROPIC_API_KEY. `cox doctor` shows what the CLI uses.'];
    case 'rate-limit':
      return [
        outcome.resetsAt === undefined
          ? 'Wait, then go on.'
          : `Wait until ${new Date(outcome.resetsAt).toISOString()}, then go on.`,
      ];
    case 'api-error':
      return ['Try again; `cox doctor` checks the network settings.'];
    case 'max-turns':
      return [`Raise --max-turns, or go on with it: ${resumeCommand('run', sessionId)} "go on"`];
    case 'budget':
      return [`Raise --max-budget-usd, or go on with it: ${resumeCommand('run', sessionId)} "go on"`];
    case 'no-such-session':
      return ['`cox sessions list` shows the conversations there are.'];
    case 'context-full':
      return ['Start a new conversation, or shorten this one with /compact in `cox chat`.'];
    case 'structured-output':
      return ['Make the schema simpler, or say in the prompt what is wanted.'];
    default:
      return [];
  }
}

/** How to allow what was not permitted. */
export function permissionHints(denials: readonly PermissionDenial[] | undefined, denied: readonly string[]): string[] {
  const rules = (denials ?? []).map(({ tool_name, tool_input }) => ruleFor(tool_name, tool_input));
  const open = [...new Set(rules)].filter((rule) => !denied.some((deny) => deny.split('(')[0] === rule.split('(')[0]));
  if (open.length === 0) return [];
  const flags = open.map((rule) => `--allow '${rule.replaceAll("'", `'\\''`)}'`).join(' ');
  return [`${plural(open.length, 'tool call')} not permitted. To allow: ${flags}`];
}

/** The command that takes the conversation up again. */
export function resumeCommand(command: 'run' | 'chat', sessionId: string | undefined): string {
  return sessionId === undefined ? `cox ${command} --continue` : `cox ${command} --resume ${sessionId}`;
}

function verdict(outcome: RunOutcome, paint: Paint): string {
  if (outcome.kind === 'completed') return paint.green('✓ completed');
  const said = firstLine(harmless(outcome.message));
  const words = said === '' ? outcome.kind : `${outcome.kind}: ${said}`;
  return outcome.kind === 'interrupted' ? paint.yellow(`– ${words}`) : paint.red(`✗ ${words}`);
}

function costs({ result, previous }: TurnEnd): string[] {
  const cost = costOf(result, previous);
  if (cost === undefined) return [];
  return previous === undefined ? [usd(cost)] : [`${usd(cost)} (${usd(result.total_cost_usd)} in all)`];
}
