import { describe, expect, it } from 'vitest';
import { diff } from '../../src/diff/diff.ts';
import type { FailedRehearsal, Rehearsal } from '../../src/rehearse.ts';
import { htmlReport } from '../../src/report/html.ts';
import { markdownReport } from '../../src/report/markdown.ts';
import { stepsOf } from '../../src/report/steps.ts';
import type { CallTrace, Trace } from '../../src/trace/trace.ts';

const EVIL = `<img src=x onerror=alert(1)> "'&\u202e`;

describe('htmlReport()', () => {
  it('[N-7] begins with one sentence, and has each difference at its step', () => {
    const html = htmlReport([rehearsal('one', 214, 3)]);
    expect(html).toContain(
      '<h1><span class="sign" aria-hidden="true">≠</span> 3 of 214 calls would now be refused.</h1>',
    );
    expect(html).toContain('<p class="legend">3 of 214 calls come out differently</p>');
    expect(html).toMatch(/<li class="changed"><code>Bash\(npm run 1\)<\/code><div><span class="before">ran/);
    expect(html).toContain('<li><code>Bash(npm run 4)</code> <span class="outcome">ran</span></li>');
    expect(html.indexOf('<h2>What comes out')).toBeLessThan(html.indexOf('<h2>Conversations'));
  });

  it('[N-7] says that nothing differs, and lists what could not be rehearsed', () => {
    expect(htmlReport([rehearsal('one', 2, 0)])).toMatch(/class="same"[\s\S]*✓<\/span> No difference in 2 calls\./);
    const failed: FailedRehearsal = { scenario: 'two', failure: 'There is no CLI.' };
    expect(htmlReport([rehearsal('one', 2, 0), failed])).toMatch(
      /class="failed"[\s\S]*<li>two: There is no CLI\.<\/li>/,
    );
  });

  it('[N-7] contains no markup, no script, no request and no secret from a conversation', () => {
    const key = `sk-ant-${'a'.repeat(20)}`;
    const html = htmlReport([rehearsal(`${EVIL} ${key}`, 2, 1, `${EVIL} ${key}`)], EVIL);
    expect(html).not.toMatch(/<img|<script|onerror=alert\(1\)>|\u202e|https?:|url\(|sk-ant-/);
    expect(html).toContain('&#60;img src=x onerror=alert(1)&#62; &#34;&#39;&#38;');
    expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
  });

  it('[N-7] is bounded for 2,000 conversations', () => {
    const html = htmlReport(
      Array.from({ length: 2_000 }, (_, n) => rehearsal(`conversation ${n}`, 5, 1, `command ${n}`)),
    );
    expect(html.length).toBeLessThan(1_500_000);
    expect(html).toContain('1500 more are not shown.');
  });
});

describe('markdownReport()', () => {
  it('[N-7] contains no line, link or mention from the name of a file or from a reason', () => {
    const name = 'x\n# evil \u001b[31m | https://example.com www.example.com @ann';
    const failed: FailedRehearsal = { scenario: name, failure: 'f\n- evil' };
    const report = markdownReport([rehearsal(name, 1, 1, name), failed]);
    expect(report).not.toMatch(/^# evil|^- evil|https:|www\.|@ann/m);
    expect(report).not.toContain('\u001b');
    expect(report).toContain('x # evil');
  });
});

describe('stepsOf()', () => {
  it('[N-4] puts differences at their call, their turn, or the whole conversation', () => {
    const made = rehearsal('one', 2, 1);
    const effort = { change: 'request', subject: 'effort', before: 'high', after: 'medium' } as const;
    const ended = { change: 'turn-outcome', turn: 1, subject: 'turn 1', before: 'completed', after: 'limit' } as const;
    const steps = stepsOf({ ...made, differences: [effort, ended, ...made.differences] });
    expect(steps.whole).toEqual([effort]);
    expect(steps.parts).toHaveLength(1);
    expect(steps.parts[0]?.differences).toEqual([ended]);
    expect(steps.parts[0]?.calls.map(({ differences }) => differences.length)).toEqual([1, 0]);
  });
});

function rehearsal(scenario: string, calls: number, refused: number, prompt = 'Go.'): Rehearsal {
  const call = (index: number, outcome: CallTrace['outcome']): CallTrace => ({
    id: `t${index}`,
    turn: 1,
    tool: 'Bash',
    input: prompt === 'Go.' ? `npm run ${index}` : prompt,
    outcome,
    ...(outcome === 'refused' ? { reason: prompt === 'Go.' ? 'Not allowed.' : prompt } : {}),
  });
  const trace = (stage: string, refusals: number): Trace => ({
    scenario,
    stage,
    turns: [{ prompt }],
    calls: Array.from({ length: calls }, (_, index) => call(index, index < refusals ? 'refused' : 'ran')),
    gaps: [],
  });
  const [before, after] = [trace('recording', 0), trace('agent.js', refused)];
  return { scenario, before, after, differences: diff(before, after), gaps: [] };
}
