import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { fillConfig } from '../../src/store/private-config.ts';

const root = mkdtempSync(join(tmpdir(), 'cox-private-'));
afterAll(() => rmSync(root, { recursive: true }));

function folders() {
  const [source, target, other] = ['source-', 'target-', 'other-'].map((name) => mkdtempSync(join(root, name)));
  return { source: source ?? '', target: target ?? '', other: other ?? '' };
}

const LOGIN = '{"claudeAiOauth":{"accessToken":"a","refreshToken":"r"}}';

describe('a private configuration directory', () => {
  it('[G-5, D-3] does not wait for a FIFO in the place of the login or of the settings', async () => {
    const { source, target } = folders();
    for (const name of ['.credentials.json', 'settings.json', '.claude.json'])
      execFileSync('/usr/bin/env', ['mkfifo', join(source, name)]);
    await fillConfig(target, { CLAUDE_CONFIG_DIR: source }, '-p');
    expect(readdirSync(target)).toEqual(['projects']);
  });

  it('[G-5] follows the links of the user', async () => {
    const { source, target, other } = folders();
    writeFileSync(join(other, 'login'), LOGIN);
    writeFileSync(join(other, 'settings'), '{}');
    mkdirSync(join(other, 'skills'));
    symlinkSync(join(other, 'login'), join(source, '.credentials.json'));
    symlinkSync(join(other, 'settings'), join(source, 'settings.json'));
    symlinkSync(join(other, 'skills'), join(source, 'skills'));
    await fillConfig(target, { CLAUDE_CONFIG_DIR: source }, '-p');
    expect(JSON.parse(readFileSync(join(target, '.credentials.json'), 'utf8'))).toEqual({
      claudeAiOauth: { accessToken: 'a' },
    });
    expect(readFileSync(join(target, 'settings.json'), 'utf8')).toBe('{}');
    expect(readdirSync(join(target, 'skills'))).toEqual([]);
  });

  it('[C-14, G-5] follows no link that an isolated CLI may have made', async () => {
    const { source, target, other } = folders();
    writeFileSync(join(other, 'login'), LOGIN);
    mkdirSync(join(other, 'skills'));
    for (const name of ['.credentials.json', '.claude.json', 'settings.json', 'notes'])
      symlinkSync(join(other, 'login'), join(source, name));
    symlinkSync(join(other, 'skills'), join(source, 'skills'));
    await fillConfig(target, { CLAUDE_CONFIG_DIR: source }, '-p', true);
    expect(readdirSync(target)).toEqual(['projects']);
  });
});
