import { describe, expect, it } from 'vitest';
import { diff, undecided } from '../../src/diff/diff.ts';
import { describeDifference } from '../../src/diff/difference.ts';
import { markdownReport } from '../../src/report/markdown.ts';
import { summarize } from '../../src/report/summary.ts';
import { recordedTrace } from '../../src/stage/performed-trace.ts';
import { textTrace } from '../../src/trace/request-trace.ts';
import { shownText } from '../../src/trace/shown-text.ts';
import type { CallTrace, RequestTrace, Trace } from '../../src/trace/trace.ts';
import { aScenario, step } from '../a-scenario.ts';

const CALL: CallTrace = {
  id: 't1',
  turn: 1,
  tool: 'Bash',
  input: 'npm publish',
  outcome: 'ran',
  how: 'asked',
  hooks: [],
};
const REQUEST: RequestTrace = {
  by: 'main',
  model: 'opus',
  effort: 'high',
  betas: ['a'],
  tools: [textTrace('Bash', 'runs')],
  deferredTools: [],
  system: [textTrace('Tone', 'Be brief.')],
  context: [],
};
const TRACE: Trace = {
  scenario: 's',
  stage: 'a',
  turns: [{ prompt: 'Go.', outcome: 'completed' }],
  calls: [CALL],
  requests: [REQUEST],
  hooks: [],
  warnings: [],
  gaps: [],
};
const lines = (after: Trace, before: Trace = TRACE): string[] => diff(before, after).map(describeDifference);

describe('diff()', () => {
  it('[N-3] of a trace with itself is empty', () => {
    expect(diff(TRACE, structuredClone(TRACE))).toEqual([]);
  });

  it('[N-4] contains what decided about a call', () => {
    const now = (call: Partial<CallTrace>) => lines({ ...TRACE, calls: [{ ...CALL, ...call }] });
    expect(now({ how: 'rule' })).toEqual(['Bash(npm publish): asked, then allowed → allowed without asking']);
    expect(now({ outcome: 'refused', how: 'hook', reason: 'No.' })).toEqual([
      'Bash(npm publish): asked, then allowed → refused by a hook: No.',
    ]);
    expect(now({ outcome: 'missing' })).toEqual(['Bash(npm publish): asked, then allowed → no such tool']);
    expect(now({ hooks: [{ event: 'PostToolUse', decision: 'addContext' }] })).toEqual([
      'Bash(npm publish): no decision → PostToolUse addContext',
    ]);
    expect(now({ hooks: [{ event: 'PreToolUse', decision: 'none' }] })).toEqual([]);
  });

  it('[N-4] contains the changes of the requests', () => {
    const request: RequestTrace = {
      ...REQUEST,
      effort: 'medium',
      betas: ['b'],
      tools: [textTrace('Bash', 'runs it'), textTrace('Workflow', 'x')],
      system: [textTrace('Tone', 'Be brief. At most 25 words.')],
    };
    expect(lines({ ...TRACE, requests: [request] })).toEqual([
      'effort: high → medium',
      'beta b: absent → present',
      'beta a: present → absent',
      'tool Bash: 1 words → 2 words, +1',
      'tool Workflow: absent → 1 words',
      'system prompt, section Tone: 2 words → 6 words, +4',
    ]);
  });

  it('[N-4] marks the calls that follow a difference in the same turn', () => {
    const calls = ['t1', 't2', 't3'].map((id, index) => ({ ...CALL, id, turn: index < 2 ? 1 : 2 }));
    const refused = calls.map((call) => ({ ...call, outcome: 'refused' as const }));
    const found = diff({ ...TRACE, calls }, { ...TRACE, calls: refused });
    expect(found.map(({ call, afterDivergence }) => [call, afterDivergence])).toEqual([
      ['t1', undefined],
      ['t2', true],
      ['t3', undefined],
    ]);
  });

  it('[N-3, N-5] leaves out what one side could not observe', () => {
    const scenario = aScenario([[step('Bash', { command: 'npm publish' }), step('Read', { file_path: 'a' })]]);
    const recorded = recordedTrace(scenario);
    const calls = recorded.calls.map(
      (call): CallTrace => ({ ...call, outcome: call.tool === 'Read' ? 'invalid' : 'ran', how: 'rule', hooks: [] }),
    );
    const after = { ...TRACE, calls };
    expect(diff(recorded, after)).toEqual([]);
    expect(undecided(recorded, after).map(({ tool }) => tool)).toEqual(['Read']);
  });
});

describe('a report', () => {
  const refused: CallTrace = { ...CALL, outcome: 'refused', how: 'rule', reason: '<img src=x> | @team' };
  const after = { ...TRACE, calls: [refused] };
  const rehearsal = { scenario: 's', before: TRACE, after, differences: diff(TRACE, after), gaps: [] };

  it('[N-7] begins with one sentence', () => {
    expect(summarize([rehearsal]).sentence).toBe('1 of 1 calls would now be refused.');
    expect(summarize([{ ...rehearsal, differences: [] }]).sentence).toBe('No difference in 1 calls.');
    expect(summarize([{ scenario: 'x', failure: 'no' }]).sentence).toBe('Nothing could be rehearsed.');
    expect(summarize([rehearsal, { scenario: 'x', failure: 'no' }]).sentence).toContain('1 could not be rehearsed');
  });

  it('[N-7] in Markdown has no markup and no mention from a conversation', () => {
    const report = markdownReport([rehearsal]);
    expect(report).toContain('**1 of 1 calls would now be refused.**');
    expect(report).toContain('&lt;img src=x&gt; \\| @\u200bteam');
  });

  it('[N-7] shows no secret and no control character', () => {
    const secrets = [
      'sk-ant-api03-abcdefgh',
      'ghp_0123456789abcdefghij',
      'AKIAIOSFODNN7EXAMPLE',
      'hunter2hunter2',
      'pa55word',
    ];
    const command = `K=${secrets[0]} git push https://x:${secrets[4]}@host ${secrets[1]} ${secrets[2]} DB_PASSWORD=${secrets[3]} \u001b[2J\u202e`;
    const shown = shownText(command, 500);
    for (const secret of secrets) expect(shown).not.toContain(secret);
    expect(shown).toMatch(
      /^K=\[redacted\] git push https:\/\/x:\[redacted\]@host \[redacted\] \[redacted\] DB_PASSWORD=\[redacted\] +\[2J$/,
    );
  });
});
