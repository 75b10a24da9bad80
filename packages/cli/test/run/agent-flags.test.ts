import { describe, expect, it } from 'vitest';
import { agentOptions } from '../../src/run/agent-flags.ts';
import { runCox } from '../run-cox.ts';

describe('--timeout', () => {
  it.each([
    [16.1, 16_100],
    [1.001, 1_001],
    [2.0001, 2_000],
    [0.0001, 1],
  ])('[L-1] converts %s s to %s ms, rounded and at least 1', (timeout, timeoutMs) => {
    expect(agentOptions({ timeout }).timeoutMs).toBe(timeoutMs);
  });

  it('[L-1, L-2] refuses a number with a unit', async () => {
    const { stdout, stderr, code } = await runCox(['run', '--demo', '-q', '--timeout', '16.1', 'What did you change?']);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(stdout).toMatch(/^I read src\/stroke-rate\.ts/);
  });
});
