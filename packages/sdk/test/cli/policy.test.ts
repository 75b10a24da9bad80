import { describe, expect, it } from 'vitest';
import { judgeVersion, MINIMUM_VERSION, type VersionFinding } from '../../src/cli/version.ts';
import { UnsupportedOptionError } from '../../src/errors/options.ts';
import { UnknownVersionError, UnsupportedCliVersionError, VersionDetectionError } from '../../src/errors/start.ts';

const path = '/opt/claude';
const found = (version: string): VersionFinding => ({ kind: 'found', version, source: 'probe' });
const unparseable: VersionFinding = { kind: 'unparseable', output: 'hello' };
const failed: VersionFinding = { kind: 'failed', reason: '--version exited with code 3' };

const EVERY_RULE = [{ tolerant: false }, { tolerant: true }];

describe('judgeVersion', () => {
  it.each(EVERY_RULE)('[C-4] accepts a new enough CLI without a warning: %j', (rules) => {
    expect(judgeVersion(found('999.0.0'), { ...rules, path })).toEqual({});
    expect(judgeVersion(found(MINIMUM_VERSION), { ...rules, path })).toEqual({});
  });

  it.each(EVERY_RULE)('[C-4] refuses a CLI that is known to be too old, always: %j', (rules) => {
    const { error, warning } = judgeVersion(found('2.1.96'), { ...rules, path });
    expect(warning).toBeUndefined();
    expect(error).toBeInstanceOf(UnsupportedCliVersionError);
    expect(error).toMatchObject({ found: '2.1.96', required: MINIMUM_VERSION, path });
    expect(error?.message).toMatch(new RegExp(`2\\.1\\.96.*${MINIMUM_VERSION}.*claude update`, 's'));
  });

  it('[C-4] fails a strict run on a version it cannot read or get', () => {
    const rules = { tolerant: false, path };
    const unknown = judgeVersion(unparseable, rules);
    expect(unknown.error).toBeInstanceOf(UnknownVersionError);
    expect(unknown.error).toMatchObject({ path, output: 'hello' });
    const silent = judgeVersion(failed, rules);
    expect(silent.error).toBeInstanceOf(VersionDetectionError);
    expect(silent.error?.message).toContain('--version exited with code 3');
    expect([unknown.warning, silent.warning]).toEqual([undefined, undefined]);
  });

  it('[C-4] only warns a tolerant run', () => {
    const rules = { tolerant: true };
    expect(judgeVersion(unparseable, { ...rules, path })).toEqual({
      warning: {
        code: 'unknown-cli-version',
        message: expect.stringContaining(path),
        context: { path, output: 'hello' },
      },
    });
    expect(judgeVersion(failed, { ...rules, path })).toEqual({
      warning: {
        code: 'version-check-failed',
        message: expect.stringContaining('--version exited with code 3'),
        context: { path, reason: '--version exited with code 3' },
      },
    });
  });

  it.each(EVERY_RULE)('[C-5, C-6] refuses what an option needs and the CLI is known to lack: %j', (rules) => {
    const needs = [
      { option: 'model', flag: '--model', since: '2.1.97' },
      { option: 'effort', flag: '--effort', since: '2.2.5' },
      { option: 'hooks.PostToolBatch', since: '2.3.0' },
    ];
    const judge = (version: string) => judgeVersion(found(version), { ...rules, path, needs });
    expect(judge('2.3.0')).toEqual({});
    expect(judge('2.2.4').error).toBeInstanceOf(UnsupportedOptionError);
    expect(judge('2.2.4').error).toMatchObject({
      option: 'effort',
      flag: '--effort',
      found: '2.2.4',
      required: '2.2.5',
    });
    expect(judge('2.2.5').error).toMatchObject({ option: 'hooks.PostToolBatch', flag: undefined, required: '2.3.0' });
    expect(judge('0.0.1').error).toBeInstanceOf(UnsupportedCliVersionError);
    expect(judgeVersion(failed, { ...rules, tolerant: true, path, needs }).error).toBeUndefined();
  });
});
