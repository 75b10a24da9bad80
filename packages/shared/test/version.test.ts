import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareVersions, parseVersion } from '../src/version.ts';

describe('parseVersion', () => {
  it.each([
    ['2.1.325 (Claude Code)\n', '2.1.325'],
    ['v1.0.33', '1.0.33'],
    ['claude-code/2.1.0-beta.12+build.5', '2.1.0'],
    ['warning: node is old\nClaude Code 10.20.30', '10.20.30'],
    ['0.2.9', '0.2.9'],
  ])('[C-4] finds the first number in %j', (text, version) => {
    expect(parseVersion(text)).toBe(version);
  });

  it.each(['', 'Claude Code', '2.1', 'version two', 'a.b.c'])('[C-4] finds none in %j', (text) => {
    expect(parseVersion(text)).toBeUndefined();
  });

  it('[C-4] takes no longer than linear time on one endless number', () => {
    const start = performance.now();
    expect(parseVersion('1'.repeat(1_000_000))).toBeUndefined();
    expect(performance.now() - start).toBeLessThan(1_000);
  });
});

describe('compareVersions', () => {
  it.each([
    ['2.1.9', '2.1.10'],
    ['2.9.0', '2.10.0'],
    ['9.0.0', '10.0.0'],
    ['0.2.126', '1.0.0'],
  ])('[C-4] compares by number: %s < %s', (older, newer) => {
    expect(compareVersions(older, newer)).toBeLessThan(0);
    expect(compareVersions(newer, older)).toBeGreaterThan(0);
  });

  it('[C-4] ignores prefixes and prerelease suffixes', () => {
    expect(compareVersions('v2.1.3-beta.1', '2.1.3')).toBe(0);
  });

  it('[C-4] agrees with the order of the parts', () => {
    const part = fc.nat(100_000);
    fc.assert(
      fc.property(fc.tuple(part, part, part), fc.tuple(part, part, part), (a, b) => {
        const expected = a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
        expect(Math.sign(compareVersions(a.join('.'), b.join('.')))).toBe(Math.sign(expected));
      }),
    );
  });
});
