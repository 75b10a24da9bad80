import type { CliInspection } from 'coxswain/cli';
import { PINNED_VERSION } from 'coxswain/cli';
import { IsolationUnavailableError } from 'coxswain/errors';
import { describe, expect, it } from 'vitest';
import { locationFinding, loginFinding, versionFinding } from '../../src/doctor/cli-checks.ts';
import { networkFindings, nodeFinding } from '../../src/doctor/environment-checks.ts';
import { failed, ok, skipped, warning } from '../../src/doctor/finding.ts';
import { isolationFinding } from '../../src/doctor/isolation-check.ts';
import { findingLines, verdict } from '../../src/doctor/report.ts';
import { plain } from '../../src/render/paint.ts';

describe('the findings of the doctor', () => {
  it('[L-1, C-14] report whether isolation works, and why not', async () => {
    expect(await isolationFinding(async () => ({ program: '/usr/bin/bwrap' }))).toEqual(
      ok('Isolation', "isolate: 'bubblewrap' works (/usr/bin/bwrap)"),
    );
    const missing = async () => {
      throw new IsolationUnavailableError('bubblewrap (bwrap) was not found in PATH');
    };
    expect(await isolationFinding(missing)).toEqual(
      skipped('Isolation', "isolate: 'bubblewrap' does not work here: bubblewrap (bwrap) was not found in PATH"),
    );
  });

  it('[L-1] without a CLI list every searched place and the next step', () => {
    expect(locationFinding(NOWHERE, [])).toMatchObject({
      status: 'failed',
      places: ['/a: does not exist'],
      next: expect.stringContaining('cox cli install'),
    });
  });

  it.each([
    [PINNED_VERSION, /^Use it with --cli pinned, or in every run with COXSWAIN_CLI=pinned/],
    ['2.1.197', /^Use it with --cli pinned --cli-version 2\.1\.197\.$/],
  ])('[L-1] after `cox cli install %s` explain how to use it, and do not advise it again', (version, next) => {
    const finding = locationFinding(NOWHERE, [{ version, path: '/cache/claude', bytes: 1, intact: true }]);
    expect(finding).toMatchObject({
      status: 'failed',
      message: `not found, but ${version} was downloaded`,
      next: expect.stringMatching(next),
    });
  });

  it.each([20, 40, 80])('[L-1] show many places in one line, %s columns wide', (columns) => {
    const finding = { ...failed('Claude Code', 'not found', 'Install it.'), places: ['/a: no', '/b: no', '/c: no'] };
    const brief = findingLines(finding, { paint: plain, columns, verbose: false });
    expect(brief).toHaveLength(3);
    expect(brief[1]).toMatch(/^ {4}searched 3 /);
    expect(brief[1]?.length).toBeLessThanOrEqual(columns);
    expect(findingLines(finding, { paint: plain, columns, verbose: true })).toHaveLength(6);
  });

  it.each([
    ['2.0.0', 'failed', /older than 2\.1\.97/],
    ['2.1.97', 'ok', /tested with [\d.]+; older/],
    [PINNED_VERSION, 'ok', /the release cox is tested with/],
    [
      '3.0.0',
      'warning',
      /3\.0\.0 is newer than [\d.]+, the newest release that was measured\. It counts differently\./,
    ],
  ])('[L-1] judge version %s: %s', (version, status, message) => {
    const supported = version === '2.0.0' ? 'no' : 'yes';
    const newer =
      version === '3.0.0' ? { version, measured: PINNED_VERSION, differences: ['It counts differently.'] } : undefined;
    const found = { kind: 'found', version, source: 'probe' } as const;
    const finding = versionFinding(inspection({ version: found, supported, newer }));
    expect(finding).toMatchObject({ status, message: expect.stringMatching(message) });
  });

  it('[L-1] report a version that cannot be determined', () => {
    expect(versionFinding(inspection({ version: { kind: 'failed', reason: 'it hangs' } })).status).toBe('failed');
    expect(versionFinding(inspection({ version: { kind: 'unparseable', output: 'hello' } })).status).toBe('warning');
  });

  it('[L-1] report the login status of the CLI', () => {
    const found = inspection({});
    expect(loginFinding(found, undefined).status).toBe('skipped');
    expect(loginFinding(found, { loggedIn: false })).toMatchObject({
      status: 'failed',
      next: expect.stringContaining('/login'),
    });
    const login = { loggedIn: true, authMethod: 'api_key', apiKeySource: 'ANTHROPIC_API_KEY', apiProvider: 'bedrock' };
    expect(loginFinding(found, login).message).toBe('api_key, from ANTHROPIC_API_KEY, bedrock');
  });

  it('[L-1] mention proxies and certificates, without the password', () => {
    const env = {
      https_proxy: 'http://me:secret@and-secret@proxy:3128',
      NODE_EXTRA_CA_CERTS: '/gone.pem',
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      ANTHROPIC_BASE_URL: 'nonsense',
    };
    const findings = networkFindings(env, () => false);
    expect(findings.map(({ status }) => status)).toEqual(['ok', 'failed', 'warning', 'failed']);
    expect(JSON.stringify(findings)).not.toContain('secret');
    const gate = networkFindings({ ANTHROPIC_BASE_URL: 'https://gate/v1?api_key=secret-key' }, () => false);
    expect(gate).toMatchObject([
      { status: 'ok', message: expect.stringContaining('https://gate/v1?api_key=[redacted]') },
    ]);
    expect(networkFindings({}, () => false)).toMatchObject([{ status: 'ok' }]);
    expect(networkFindings({ HTTP_PROXY: 'proxy' }, () => false)).toMatchObject([{ status: 'failed' }]);
  });

  it('require a supported version of Node', () => {
    expect(['v20.18.9', 'v20.19.0', 'v22.0.0'].map((version) => nodeFinding(version).status)).toEqual([
      'failed',
      'ok',
      'ok',
    ]);
  });

  it('[L-1] each have a next step, and share a verdict', () => {
    expect(findingLines(failed('Login', 'nobody', 'Log in.', ['more']), LOOK)).toEqual([
      '✗ Login: nobody',
      '    more',
      '  → Log in.',
    ]);
    expect(verdict([ok('a', '')], plain)).toBe('Everything works.');
    expect(verdict([ok('a', ''), warning('b', '', '')], plain)).toBe('It works, with 1 warning.');
    expect(verdict([failed('a', '', ''), failed('b', '', '')], plain)).toBe('2 problems to fix.');
  });
});

function inspection(fields: Partial<CliInspection>): CliInspection {
  return {
    found: { path: '/c', foundAt: '/c', command: ['/c'], kind: 'native', size: 1, mtimeMs: 1, source: 'PATH' },
    searched: [],
    version: { kind: 'found', version: PINNED_VERSION, source: 'probe' },
    supported: 'yes',
    newer: undefined,
    minimum: '2.1.97',
    pinned: PINNED_VERSION,
    ...fields,
  };
}

const LOOK = { paint: plain, columns: 80, verbose: false };

const NOWHERE = inspection({ found: undefined, searched: [{ place: '/a', reason: 'does not exist' }] });
