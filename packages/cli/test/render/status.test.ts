import { describe, expect, it } from 'vitest';
import { progressLine } from '../../src/own-copy/progress.ts';
import { plain } from '../../src/render/paint.ts';
import { statusLine } from '../../src/render/status.ts';

const status = {
  elapsedMs: 12_345,
  tokens: 8_100,
  costUsd: 0.0184,
  activity: 'Bash npm test',
  key: 'Ctrl-C interrupts',
};

describe('the status line', () => {
  it('[L-1] shows time, tokens, cost, running tools, and what Ctrl-C does', () => {
    expect(statusLine(status, 0, plain, 80)).toBe('⠋ 12 s · 8.1k tokens · $0.0184 · Bash npm test · Ctrl-C interrupts');
  });

  it('omits unknown values', () => {
    expect(statusLine({ ...status, tokens: 0, costUsd: undefined }, 1, plain, 80)).toBe(
      '⠙ 12 s · Bash npm test · Ctrl-C interrupts',
    );
  });

  it.each([20, 30, 40, 50, 60, 70])('[L-2] never takes the last column of %i', (columns) => {
    const line = statusLine({ ...status, activity: 'Bash '.repeat(30) }, 0, plain, columns);
    expect(line.length).toBeLessThan(columns);
    expect(line).toMatch(/^⠋ 12 s/);
  });
});

describe('the progress of an install', () => {
  it('[L-1] shows bytes, and a bar if the total is known', () => {
    expect(progressLine({ phase: 'downloading', receivedBytes: 12_345_678 }, 80)).toBe('downloading … 12.3 MB');
    expect(progressLine({ phase: 'unpacking', receivedBytes: 40_000_000, totalBytes: 80_000_000 }, 60)).toBe(
      'unpacking ━━━━━━━━━━━━━━━───────────────  50 % of 80.0 MB',
    );
    expect(progressLine({ phase: 'unpacking', receivedBytes: 1, totalBytes: 2 }, 20)).toHaveLength(20);
    expect(progressLine({ phase: 'resolving' }, 80)).toBe('asking the registry …');
  });
});
