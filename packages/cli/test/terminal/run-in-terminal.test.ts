import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cox, inTerminal } from './pty.ts';

const CTRL_C = '\u0003';
const COLOUR = '\u001b[32m';
const PAINTED = /\p{Cc}\[[\d;]*m/u;

describe.concurrent('cox run in a terminal', () => {
  it('[L-1] streams the answer, shows each tool in one line, asks for permission by keys, and sums up', async () => {
    await using run = inTerminal(cox('run', '--demo'));
    await run.until(/Allow Edit .*stroke-rate\.ts\?/);
    await run.until(/ y {2}Yes, once[\s\S]* a {2}Yes, always: mode acceptEdits in this session[\s\S]* n {2}No/);
    expect(run.screen.text).toContain('- (strokes / s) * 60\n');
    await run.until(/\nPress y, a, n, w or s:$/);
    run.press('y');
    expect(await run.ended).toBe(0);
    const { lines, text } = run.screen;
    expect(lines).toContain('I will run the tests first.');
    expect(lines).toContain('✗ Bash npm test → 1 failed, 41 passed: stroke rate is 0 at the start');
    expect(lines).toContain('✓ Bash npm test → 42 passed');
    expect(text).toMatch(/^∴ thought.*: A failing test, and a hint: the rate/m);
    expect(text).toMatch(/✓ Edit src\/stroke-rate\.ts → The file/);
    expect(lines.filter(Boolean).at(-1)).toMatch(/^✓ completed · [\d.]+ s · 5 tool calls · \d+ tokens · \$0\.0184$/);
  });

  it('[L-1] shows time, tokens and running tools in a status line, which is removed at the end', async () => {
    await using run = inTerminal(cox('run', '--demo', 'count'));
    await run.until(/^1 2 3 4[\s\S]*\n. \d+ s · \d+ tokens · writing · Ctrl-C interrupts$/m);
    run.press(CTRL_C);
    expect(await run.ended).toBe(130);
    const [answer = '', ...rest] = run.screen.text.split('\n\n');
    // The numbers are consecutive: the status line was drawn below them and erased completely.
    // A full line of the screen may end in the space between two numbers.
    const line = answer.split('\n').map((part) => part.padEnd(80));
    const counted = line.join('').replace('^C', '').trim().split(/\s+/).map(Number);
    expect(counted).toEqual(Array.from({ length: counted.length }, (_, at) => at + 1));
    expect(rest.join('\n')).toMatch(/^– interrupted · /);
    expect(run.screen.text).not.toMatch(/Ctrl-C interrupts/);
  });

  it('[L-2] denies a permission and sends the reason to the agent', async () => {
    await using run = inTerminal(cox('run', '--demo'));
    await run.until(/Press y, a, n, w or s:$/);
    run.press('w');
    await run.until(/What should it do instead\?/);
    run.press('Write a test first.\r');
    expect(await run.ended).toBe(0);
    expect(run.screen.text).toMatch(/✗ Edit .* → .*Write a test first\./);
  });

  it('[L-2] reports no success after a refusal, and does not suggest allowing the refused call', async () => {
    await using run = inTerminal(cox('run', '--demo'));
    await run.until(/Press y, a, n, w or s:$/);
    run.press('n');
    expect(await run.ended).toBe(0);
    expect(run.screen.text).toContain('I am not allowed to change the file.');
    expect(run.screen.text).not.toMatch(/42|--allow/);
  });

  it('[L-1] asks the user about a question and a plan of the model', async () => {
    await using asked = inTerminal(cox('run', '--demo', 'ask me'));
    await asked.until(/Which boat\?[\s\S]*Eight[\s\S]*Single/);
    await asked.pressUntil('\u001b[B', /● Single/);
    asked.press('\r');
    expect(await asked.ended).toBe(0);
    expect(asked.screen.text).toMatch(/Which boat\?\nSingle\n✓ AskUserQuestion → /);
    await using planned = inTerminal(cox('run', '--demo', 'make a plan'));
    await planned.until(
      /Go ahead with this plan\?[\s\S]*2\. Change one line\.[\s\S]* y {2}Yes, go ahead[\s\S]*Press y, w or s:$/,
    );
    planned.press('y');
    expect(await planned.ended).toBe(0);
    expect(planned.screen.text).toContain('Let us go.');
  });

  it('[L-2] ends a turn that ignores the interrupt on the second Ctrl-C, with exit code 130', async () => {
    await using run = inTerminal(cox('run', '--demo', 'hang'));
    await run.until(/I will not stop/);
    run.press(CTRL_C);
    await run.until(/interrupting · Ctrl-C ends/);
    run.press(CTRL_C);
    expect(await run.ended).toBe(130);
    expect(run.screen.text).toMatch(/^– interrupted$/m);
    expect(run.screen.text).not.toMatch(/completed|error code/);
  });

  it('[L-2] denies the permission and interrupts the turn on Ctrl-C at a permission prompt, and leaves no "Yes" on the screen', async () => {
    await using run = inTerminal(cox('run', '--demo'));
    await run.until(/ s {2}No, and stop/);
    run.press(CTRL_C);
    expect(await run.ended).toBe(130);
    // The CLI may withdraw the question before cox stops asking.
    expect(run.screen.text).toMatch(
      /undefined\n {3}(?:No answer|The question was withdrawn)\.\n✗ Edit .*\n\n– interrupted/,
    );
    expect(run.screen.text).not.toMatch(/42 passed|Yes/);
  });

  it('[L-2] leaves no choice on the screen after Ctrl-C at a question', async () => {
    await using run = inTerminal(cox('run', '--demo', 'ask me'));
    await run.until(/● Eight/);
    run.press(CTRL_C);
    expect(await run.ended).toBe(130);
    expect(run.screen.text).toMatch(/Which boat\?\nNo answer\.\n✗ AskUserQuestion .*\n\n– interrupted/);
  });

  it('[L-2] uses colours, but not with NO_COLOR or --no-color', async () => {
    const all = ['run', '--demo', '--no-input'];
    await using coloured = inTerminal(cox(...all));
    await using plain = inTerminal(cox(...all), { env: { NO_COLOR: '1' } });
    await using flagged = inTerminal(cox(...all, '--no-color'));
    expect(await Promise.all([coloured.ended, plain.ended, flagged.ended])).toEqual([0, 0, 0]);
    expect(coloured.raw).toContain(COLOUR);
    // Without colours, the only remaining escape sequences move the status line.
    expect(plain.raw).not.toMatch(PAINTED);
    expect(flagged.raw).not.toMatch(PAINTED);
    expect(plain.screen.lines).toContain('✗ Bash npm test → 1 failed, 41 passed: stroke rate is 0 at the start');
  });

  it('[L-2] fits a narrow terminal', async () => {
    await using run = inTerminal(cox('run', '--demo'), { columns: 40 });
    await run.until(/Press y, a, n, w or s:$/);
    run.press('n');
    expect(await run.ended).toBe(0);
    const tool = run.screen.lines.filter((line) => /^[✓✗] /.test(line));
    expect(tool.length).toBeGreaterThan(3);
    // One line each: a wrapped line would continue at the margin.
    expect(tool.every((line) => line.length <= 40)).toBe(true);
    expect(run.screen.text).toMatch(/^✗ Bash npm test → 1 failed, 41 passed:?…?/m);
    expect(run.screen.text).not.toMatch(/⠋|⠙|⠹|⠸/);
  });

  it.each([25, 40, 61, 100])('[L-2] breaks its text between words, %s columns wide', async (columns) => {
    await using run = inTerminal(cox('run', '--demo', '--no-input'), { columns });
    expect(await run.ended).toBe(0);
    const expected = 'The rate should be unknown until the first stroke.'.split(' ');
    const words = new Set(run.screen.text.split(/\s+/));
    expect(expected.filter((word) => !words.has(word))).toEqual([]);
    expect(run.screen.lines.every((line) => line === line.trimStart() || /^ {2,}\S/.test(line))).toBe(true);
  });

  it('[L-2] keeps the status line out of a redirected answer', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cox-out-'));
    await using run = inTerminal(`${cox('run', '--demo', '--no-input')} > out.txt; cat out.txt`, {
      cwd: folder,
      columns: 200,
    });
    expect(await run.ended).toBe(0);
    await rm(folder, { recursive: true });
    const answer = run.screen.text.slice(run.screen.text.lastIndexOf('I will run'));
    expect(answer.split('\n')).toHaveLength(4);
  });
});
