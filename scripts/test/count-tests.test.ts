import { describe, expect, it } from 'vitest';
import { summarise } from '../suites/count-tests.mjs';

const file = (status: string, ...tests: string[]): { status: string; assertionResults: { status: string }[] } => ({
  status,
  assertionResults: tests.map((test) => ({ status: test })),
});

describe('the plain line about a test run', () => {
  it('counts what passed', () => {
    const testResults = [file('passed', 'passed', 'passed'), file('passed', 'passed')];
    expect(summarise({ success: true, testResults })).toBe('3 passed, 0 failed');
  });

  it('names skipped tests only if there are any', () => {
    const testResults = [file('passed', 'passed', 'pending', 'todo', 'skipped')];
    expect(summarise({ success: true, testResults })).toBe('1 passed, 0 failed, 3 skipped');
  });

  it('counts a file that could not be loaded as a failure', () => {
    const testResults = [file('failed'), file('failed', 'passed', 'failed')];
    expect(summarise({ success: false, testResults })).toBe('1 passed, 2 failed');
  });

  it('reports a run that failed although no test did', () => {
    const testResults = [file('passed', 'passed')];
    expect(summarise({ success: false, testResults })).toBe('1 passed, 0 failed, and the run itself failed');
  });
});
