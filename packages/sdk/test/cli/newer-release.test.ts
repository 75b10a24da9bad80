import { inMemoryCli, script } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { newerRelease, warnOfNewerRelease } from '../../src/cli/newer-release.ts';
import { PINNED_VERSION } from '../../src/cli/version.ts';
import { query } from '../../src/query/query.ts';
import type { Warning } from '../../src/warnings/warning.ts';

describe('a CLI that is newer than the newest measured release', () => {
  const known = [
    { since: '2.1.9001', what: 'It counts differently.' },
    { since: '2.1.9003', what: 'It has another door.' },
  ];

  it('[C-4] is described with the differences that it is known to have', () => {
    const described = { version: '2.1.9002', measured: PINNED_VERSION, differences: ['It counts differently.'] };
    expect(newerRelease('2.1.9002', known)).toEqual(described);
    expect(newerRelease(PINNED_VERSION, known)).toBeUndefined();
    expect(newerRelease('2.1.97', known)).toBeUndefined();
  });

  it('[C-4] causes one warning in a process', () => {
    const warnings: Warning[] = [];
    for (const version of ['2.1.9101', '2.1.9101', PINNED_VERSION]) {
      warnOfNewerRelease(version, (warning) => void warnings.push(warning));
    }
    expect(warnings).toEqual([
      {
        code: 'newer-cli-version',
        message: `Claude Code 2.1.9101 is newer than ${PINNED_VERSION}, the newest release that was measured. No differences are known.`,
        context: { found: '2.1.9101', measured: PINNED_VERSION, differences: [] },
      },
    ]);
  });

  it('[C-4] is noticed by the version that it reports itself', async () => {
    const warnings: Warning[] = [];
    const ask = async (): Promise<void> => {
      const agent = script()
        .version('2.1.9201')
        .otherwise((turn) => turn.say('ok'));
      const { transport } = inMemoryCli(agent);
      await query('hi', { transport, onWarning: (warning) => void warnings.push(warning) }).text();
    };
    await ask();
    await ask();
    expect(warnings.map(({ code, context }) => [code, context.found])).toEqual([['newer-cli-version', '2.1.9201']]);
  });
});
