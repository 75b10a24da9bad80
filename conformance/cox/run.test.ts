import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text, toolUse, until } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { ndjson } from '../../packages/cli/test/run-cox.ts';
import { isTestedNow, realCli } from '../harness/real-cli.ts';
import releases from '../releases.json' with { type: 'json' };
import { coxStage } from './stage.ts';

describe.concurrent('cox on the real CLI', () => {
  it('[L-1, L-2] run streams the answer, shows the tools, refuses calls that need permission and explains how to allow them; the conversation can be resumed, listed, copied and deleted', async () => {
    await using stage = await coxStage([
      toolUse('Bash', { command: 'echo from-the-shell' }),
      toolUse('Bash', { command: 'touch made' }),
      text('It said so.'),
      text('Again.'),
    ]);
    const first = await stage.run(['run', 'Ask the shell', '--allow', 'Bash(echo *)']);
    expect(first.stdout).toBe('It said so.\n');
    expect(first.stderr).toMatch(/^✓ Bash echo from-the-shell → from-the-shell$/m);
    expect(first.stderr).toMatch(/^✗ Bash touch made → /m);
    expect(first.stderr).toContain("1 tool call not permitted. To allow: --allow 'Bash(touch made)'");
    expect(existsSync(join(stage.home.project, 'made'))).toBe(false);
    expect(first.stderr).toMatch(/^✓ completed · .* · 2 tool calls · [\d.k]+ tokens · \$\d+\.\d+$/m);
    expect(first.code).toBe(0);
    const [, id = ''] = /continue with: cox run --resume ([0-9a-f-]{36}) /.exec(first.stderr) ?? [];

    const second = await stage.run(['run', '--resume', id, '--quiet', 'And again?']);
    expect(second).toEqual({ stdout: 'Again.\n', stderr: '', code: 0 });
    expect(JSON.stringify(stage.api.conversation.at(-1)?.body)).toContain('It said so.');

    const [listed] = ndjson((await stage.run(['sessions', 'list', '--json'])).stdout);
    expect(listed).toMatchObject({ id, firstPrompt: 'Ask the shell', cwd: stage.home.project });
    const shown = await stage.run(['sessions', 'show', id.slice(0, 8)]);
    expect(shown.stdout).toMatch(
      /› Ask the shell\n✓ Bash echo from-the-shell → from-the-shell\n✗ Bash touch made → [^\n]*\nIt said so\.\n\n› And again\?\nAgain\.\n$/,
    );
    const copy = (await stage.run(['sessions', 'fork', id])).stdout.trim();
    expect((await stage.run(['sessions', 'delete', id, '--yes'])).code).toBe(0);
    expect(ndjson((await stage.run(['sessions', 'list', '--json'])).stdout)).toMatchObject([{ id: copy }]);
  });

  const unasked = [releases.peculiar.startsInAuto].filter(isTestedNow);
  it.each(unasked)('[L-2, O-6] refuses such a call even on %s, which would run it without asking', async (version) => {
    await using stage = await coxStage((request) => {
      const input = { file_path: join(stage.home.project, 'made'), content: 'x' };
      return request.toolResults.length > 0 ? text('I may not.') : toolUse('Write', input);
    });
    const { stdout } = await stage.run(['run', 'Make it', '--cli', realCli(version)]);
    expect(stdout).toBe('I may not.\n');
    expect(existsSync(join(stage.home.project, 'made'))).toBe(false);
  });

  it('[L-1] asks on the terminal, and follows the answers: once, then always', async () => {
    const names = ['?', 'one', 'two', 'three'];
    await using stage = await coxStage(() => {
      const name = names.shift();
      if (name === undefined) return text('Written.');
      if (name === '?') return toolUse('AskUserQuestion', { questions: [QUESTION] });
      return toolUse('Write', { file_path: join(stage.home.project, name), content: 'x\n' });
    });
    await using run = stage.inTerminal('run', 'Write three files');
    await run.until(/How many files\?[\s\S]*Three/, 30_000);
    await run.pressUntil('\u001b[B', /● Three/);
    run.press('\r');
    await run.until(/Allow Write[\s\S]*one\?[\s\S]* s {2}No, and stop\nPress .*:$/, 30_000);
    run.press('y');
    await run.until(
      /two\?[\s\S]* a {2}Yes, always: mode acceptEdits in this session[\s\S]* s {2}No, and stop\nPress .*:$/,
      30_000,
    );
    run.press('a');
    expect(await run.ended).toBe(0);
    for (const name of ['one', 'two', 'three']) {
      expect(readFileSync(join(stage.home.project, name), 'utf8')).toBe('x\n');
    }
    expect(stage.api.conversation[1]?.toolResults[0]?.text).toContain('"How many files?"="Three"');
    expect(run.screen.text.match(/Allow Write/g)).toHaveLength(2);
    expect(run.screen.text).toMatch(/Written\.\n\n✓ completed · /);
  });

  it('[L-2] Ctrl-C interrupts the turn and leaves no process', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await using stage = await coxStage([[text('I begin '), until(held), text('never said')]]);
    await using run = stage.inTerminal('run', 'Begin');
    await run.until(/I begin/, 30_000);
    run.press('\u0003');
    expect(await run.ended).toBe(130);
    release();
    expect(run.screen.text).toMatch(/^– interrupted · /m);
    expect(run.screen.text).not.toContain('never said');
  });

  it('[L-1] replay plays the recording of record without the CLI', async () => {
    await using stage = await coxStage([text('Kept.')]);
    const live = await stage.run(['record', 'kept.ndjson', 'Say something']);
    expect(live).toMatchObject({ stdout: 'Kept.\n', code: 0 });
    const played = await stage.run(['replay', 'kept.ndjson', '--quiet'], { env: { COXSWAIN_CLI: '/no/such/cli' } });
    expect(played).toEqual({ stdout: 'Kept.\n', stderr: '', code: 0 });
    expect(readFileSync(join(stage.home.project, 'kept.ndjson'), 'utf8')).not.toContain('not-a-real-key');
  });

  it('[L-1, L-2] doctor finds everything in order, and reports a missing login without a key', async () => {
    await using stage = await coxStage([]);
    const well = await stage.run(['doctor', '--json']);
    const { ok, findings } = JSON.parse(well.stdout);
    expect(findings).toContainEqual(
      expect.objectContaining({ check: 'Login', status: 'ok', message: 'api_key, from ANTHROPIC_API_KEY' }),
    );
    expect(findings).toContainEqual(expect.objectContaining({ check: 'Handshake', status: 'ok' }));
    expect(findings).toContainEqual(
      expect.objectContaining({ check: 'Claude Code', message: expect.stringContaining('COXSWAIN_CLI') }),
    );
    expect({ ok, code: well.code }).toEqual({ ok: true, code: 0 });
    const withoutKey = await stage.run(['doctor'], { env: { ANTHROPIC_API_KEY: '' } });
    expect(withoutKey.stdout).toMatch(/^✗ Login: not logged in\n {2}→ .*\/login/m);
    expect(withoutKey.code).toBe(1);
    expect(stage.api.conversation).toEqual([]);
  });
});

const QUESTION = {
  question: 'How many files?',
  header: 'Files',
  multiSelect: false,
  options: [
    { label: 'One', description: 'a single one' },
    { label: 'Three', description: 'a few' },
  ],
};
