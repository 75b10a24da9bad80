import { bisect, parseCondition, probeRelease } from '@coxswain/rehearsal';
import { describe, expect, it } from 'vitest';
import { runCox } from '../../packages/cli/test/run-cox.ts';
import { LONG_FORM } from '../../packages/sdk/test/support/long-form.ts';
import { pinnedVersion, realCli, supportedVersions } from '../harness/real-cli.ts';

/** The range, the condition, and the releases before and after each change. */
const CAUSES: readonly [from: string, to: string, when: string, changes: readonly string[]][] = [
  ['2.1.63', '2.1.120', 'request.effort == "medium"', ['2.1.67 2.1.68', '2.1.92 2.1.94']],
  ['2.1.105', '2.1.120', 'request.system contains "25 words"', ['2.1.110 2.1.111', '2.1.114 2.1.116']],
];

describe('cox bisect', () => {
  it.each(supportedVersions)('[N-8] probes the first request of %s', async (version) => {
    const request = await probeRelease(realCli(version));
    expect(request.tools).toContain('Bash');
    expect(request.system.length).toBeGreaterThan(1_000);
    expect(request.model).toMatch(/^claude-/);
  });

  it(`[N-8] reports usage errors with exit code 2 (${pinnedVersion})`, async () => {
    const cox = (...args: string[]) => runCox(['bisect', ...args]);
    expect(await cox('--cli', '2.1.1', '--when', 'x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not a range'),
    });
    expect(await cox('--cli', '2.1.68..2.1.94', '--when', 'effort = medium')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not a condition'),
    });
  });

  // These fetch about twenty releases.
  it.each(LONG_FORM ? CAUSES : [])(
    '[N-8] finds the causes that the post-mortem named: %s to %s, %s',
    async (from, to, when, expected) => {
      const { changes } = await bisect({ from, to, when: parseCondition(when) });
      expect(changes.map(({ before, first }) => `${before} ${first}`)).toEqual(expected);
    },
    600_000,
  );
});
