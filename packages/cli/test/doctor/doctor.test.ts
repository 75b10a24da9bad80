import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PINNED_VERSION } from 'coxswain/cli';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCox } from '../run-cox.ts';

describe.concurrent('cox doctor', () => {
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'cox-doctor-'));
  });
  afterAll(() => rm(home, { recursive: true, force: true }));

  it('[L-1, L-2] --demo reports no problems: version, handshake, folders', async () => {
    const { stdout, stderr, code } = await runCox(['doctor', '--demo'], { env: { HOME: home } });
    expect(stdout).toContain(`✓ Version: ${PINNED_VERSION}, the release cox is tested with\n`);
    expect(stdout).toMatch(/^✓ Handshake: done in .* models, \d+ commands/m);
    expect(stdout).toContain(`✓ Configuration: ${home}/.claude is writable`);
    expect(stdout).toMatch(/Everything works\.\n$/);
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  it('[L-1, L-2] --json has every finding; without a CLI the exit code is 1', async () => {
    const { stdout, code } = await runCox(['doctor', '--json', '--cli', '/no/such/claude'], { env: { HOME: home } });
    const report = JSON.parse(stdout);
    expect(report.ok).toBe(false);
    expect(report.findings).toContainEqual({
      check: 'Claude Code',
      status: 'failed',
      message: 'not found',
      next: expect.stringContaining('npm install -g @anthropic-ai/claude-code'),
      places: ['/no/such/claude: does not exist'],
    });
    expect(report.findings).toContainEqual(expect.objectContaining({ check: 'Handshake', status: 'skipped' }));
    expect(code).toBe(1);
  });

  it('[L-1] shows the searched places in one line, and all of them with --verbose', async () => {
    const env = { HOME: home, PATH: '/nowhere/a:/nowhere/b', COXSWAIN_CLI: 'global' };
    const brief = await runCox(['doctor'], { env });
    expect(brief.stdout).toMatch(
      /✗ Claude Code: not found\n {4}searched \d+ places \(--verbose lists them\): \/nowhere\/a\/claude: does not exist, .*\n {2}→ Install it/,
    );
    const long = await runCox(['doctor', '--verbose'], { env });
    expect(long.stdout).toMatch(
      /\n {4}searched, in order:\n {6}\/nowhere\/a\/claude: does not exist\n {6}\/nowhere\/b\/claude/,
    );
    expect([brief.code, long.code]).toEqual([1, 1]);
  });

  it('[L-1] reports why a handshake fails', async () => {
    const cli = join(home, 'claude');
    await writeFile(
      cli,
      '#!/bin/sh\n[ "$1" = --version ] && echo "2.1.97 (Claude Code)" && exit\necho "no luck" >&2\nexit 3\n',
    );
    await chmod(cli, 0o755);
    const { stdout, code } = await runCox(['doctor', '--cli', cli, '--quiet'], { env: { HOME: home } });
    expect(stdout).toMatch(/^✗ Handshake: .*exited with code 3.*no luck.*\(cli-exited-during-init\)$/m);
    expect(stdout).not.toContain('✓');
    expect(code).toBe(1);
  });

  it('[L-1] reports unusable folders', async () => {
    const odd = join(home, 'odd');
    await mkdir(odd);
    await writeFile(join(odd, '.claude'), '');
    const { stdout, code } = await runCox(['doctor', '--demo'], { env: { HOME: odd } });
    expect(stdout).toContain(`✗ Configuration: ${odd}/.claude: is not a folder`);
    expect(stdout).toContain('CLAUDE_CONFIG_DIR');
    expect(code).toBe(1);
  });
});
