import type { Outcome } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { plain } from '../../src/render/paint.ts';
import { nextSteps, permissionHints, resumeCommand, summaryLine, type TurnEnd } from '../../src/render/summary.ts';

const COMPLETED: Outcome = { kind: 'completed', text: 'Done.', structuredOutput: undefined };

describe('the summary of a turn', () => {
  it('[L-1] has outcome, time, tools, tokens and cost in one line', () => {
    const end = { ...spent(0.0184), toolCalls: 3, tokens: 8_120 };
    expect(summaryLine({ ...end, outcome: COMPLETED }, plain)).toBe(
      '✓ completed · 12 s · 3 tool calls · 8.1k tokens · $0.0184',
    );
  });

  it('[L-1] has the cost of the turn, and of the session so far', () => {
    const end = { ...spent(0.0116, 0.03), toolCalls: 0, tokens: 0 };
    expect(summaryLine({ ...end, outcome: COMPLETED }, plain)).toBe(
      '✓ completed · 12 s · 110 tokens · $0.0116 ($0.0300 in total)',
    );
  });

  it('[L-1] shows the failure message of the CLI, without control sequences', () => {
    const outcome: Outcome = { kind: 'auth', status: 401, message: 'Not logged in\u001b[2J · Please run /login' };
    const end = { ...spent(0), toolCalls: 0, tokens: 0, outcome };
    expect(summaryLine(end, plain)).toMatch(/^✗ auth: Not logged in · Please run \/login ·/);
  });

  it.each([
    [{ kind: 'auth', status: 401, message: '' }, /\/login/],
    [{ kind: 'rate-limit', status: 429, resetsAt: 0, message: '' }, /1970-01-01/],
    [{ kind: 'max-turns', turns: 1, message: '' }, /--max-turns.*cox run --resume id "continue"/],
    [{ kind: 'budget', totalCostUsd: 1, message: '' }, /--max-budget-usd/],
    [{ kind: 'no-such-session', message: '' }, /cox sessions list/],
  ] satisfies [Outcome, RegExp][])('[L-2] has a next step for %j', (outcome, words) => {
    expect(nextSteps(outcome, 'id').join('\n')).toMatch(words);
  });

  it('[L-2] shows how to allow denied calls, but not those denied on purpose', () => {
    const denials = [
      { tool_name: 'Bash', tool_use_id: '1', tool_input: { command: "echo 'x'" } },
      { tool_name: 'Edit', tool_use_id: '2', tool_input: { file_path: 'a' } },
      { tool_name: 'Edit', tool_use_id: '3', tool_input: { file_path: 'b' } },
    ];
    expect(permissionHints(denials, [], NONE)).toEqual([
      `2 tool calls not permitted. To allow: --allow 'Bash(echo '\\''x'\\'')' --allow 'Edit'`,
    ]);
    expect(permissionHints(denials, ['Bash(echo *)', 'Edit'], NONE)).toEqual([]);
    expect(permissionHints(undefined, [], NONE)).toEqual([]);
    expect(permissionHints(denials, [], new Set(['1', '2', '3']))).toEqual([]);
  });

  it('[L-2] suggests no rule that looks different from what it allows', () => {
    const denials = [
      { tool_name: 'Bash', tool_use_id: '1', tool_input: { command: 'ls \u202eevil' } },
      { tool_name: 'Bash', tool_use_id: '2', tool_input: { command: 'rm build/*' } },
    ];
    expect(permissionHints(denials, [], NONE)).toEqual([]);
  });

  it('[L-1] shows how to continue', () => {
    expect(resumeCommand('run', 'abc')).toBe('cox run --resume abc');
    expect(resumeCommand('chat', undefined)).toBe('cox chat --continue');
  });
});

function spent(costUsd: number, totalCostUsd = costUsd): Pick<TurnEnd, 'cost' | 'durationMs'> {
  const usage = { inputTokens: 80, outputTokens: 10, cacheReadTokens: 20, cacheCreationTokens: 0 };
  return { cost: { costUsd, totalCostUsd, usage }, durationMs: 12_300 };
}

/** The user refused nothing. */
const NONE: ReadonlySet<string> = new Set();
