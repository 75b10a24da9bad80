import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { filterEscalatingDefaultMode, resolveSettings } from '../src/sdk.ts';

function project(files: { user?: object; project?: object; local?: object | string }): string {
  const root = mkdtempSync(join(tmpdir(), 'coxswain-test-'));
  vi.stubEnv('CLAUDE_CONFIG_DIR', root);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(root, { recursive: true, force: true });
  });
  mkdirSync(join(root, '.claude'));
  const paths = { user: 'settings.json', project: '.claude/settings.json', local: '.claude/settings.local.json' };
  for (const [source, path] of Object.entries(paths)) {
    const given = Reflect.get(files, source);
    if (given !== undefined) writeFileSync(join(root, path), typeof given === 'string' ? given : JSON.stringify(given));
  }
  return root;
}

describe('resolveSettings()', () => {
  it('[U-5] merges the sources, the closest one last, and reports the origin of each setting', async () => {
    const cwd = project({
      user: { model: 'opus', cleanupPeriodDays: 12, permissions: { allow: ['Read'] } },
      project: { model: 'haiku', permissions: { allow: ['Bash', 'Read'], deny: ['Write'] } },
      local: 'not JSON',
    });
    const found = await resolveSettings({ cwd });
    expect(found.effective).toEqual({
      cleanupPeriodDays: 12,
      model: 'haiku',
      permissions: { allow: ['Read', 'Bash'], deny: ['Write'] },
    });
    expect(found.sources.map(({ source }) => source)).toEqual(['user', 'project']);
    expect(found.provenance.model).toEqual({ source: 'project', path: join(cwd, '.claude/settings.json') });
    expect((await resolveSettings({ cwd, settingSources: ['user'] })).effective.model).toBe('opus');
    const managed = await resolveSettings({ cwd, managedSettings: { model: 'sonnet' } });
    expect([managed.effective.model, managed.provenance.model?.source]).toEqual(['sonnet', 'managed']);
  });
});

describe('filterEscalatingDefaultMode()', () => {
  it.each([
    ['project', 'bypassPermissions', false],
    ['project', 'acceptEdits', false],
    ['project', 'auto', false],
    ['project', 'plan', true],
    ['project', 'dontAsk', true],
    ['local', 'bypassPermissions', false],
    ['local', 'acceptEdits', true],
    ['user', 'bypassPermissions', true],
  ])('[U-5] for a %s that sets %s keeps %s', async (source, defaultMode, kept) => {
    const cwd = project({ [source]: { permissions: { defaultMode } } });
    const { permissions } = filterEscalatingDefaultMode(await resolveSettings({ cwd }));
    expect(permissions?.defaultMode).toBe(kept ? defaultMode : undefined);
  });
});
