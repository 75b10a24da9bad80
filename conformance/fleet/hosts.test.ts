import { describe, expect, it } from 'vitest';
import { pinnedVersion } from '../harness/real-cli.ts';
import { canMakeHosts } from './hosts/network.ts';
import { runHosts } from './hosts/run-hosts.ts';

// `npm run do -- fleet:hosts` runs more. Only root can make hosts.
describe.runIf(canMakeHosts())('three hosts with homes and files of their own', () => {
  it(`[F-2, F-3, F-5, F-6, F-37, F-42] on ${pinnedVersion} and on scripted agents, lose, double and reorder nothing while their links are cut`, {
    timeout: 300_000,
  }, async () => {
    const sizes = { turns: 24, conversations: 6, hosts: 3, cuts: 4, leaseMs: 4_000, everyMs: 1_000, workMs: 300 };
    const report = await runHosts({ ...sizes, seed: 20_261_119 });
    expect(report.problems).toEqual([]);
    expect(Object.values(report.outcomes).reduce((sum, count) => sum + count, 0)).toBe(24);
    expect(Object.values(report.cuts).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
    expect(Object.keys(report.onHosts).length).toBeGreaterThan(1);
    expect(report.reused).toBeGreaterThan(0);
  });
});
