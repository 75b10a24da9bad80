import { readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { runLogged } from './run-logged.mjs';

/**
 * A test that failed, and the first line of its error.
 * @typedef {{ file: string, title: string, why: string }} FailedTest
 * @typedef {{ code: number, passed: number, failed: readonly FailedTest[] }} TestResult
 */

/** The time limit of a test. Following a release may take hours on a busy machine; a release that hangs is found nevertheless. */
const TEST_TIMEOUT_MS = 240_000;

/** What vitest's report has instead of the message of a test that has timed out. */
const TIMED_OUT = 'Error: STACK_TRACE_ERROR';

/**
 * Runs tests with vitest, and reads its report.
 * @param {string} name of the log and the report
 * @param {readonly string[]} args
 * @param {{ root: string, folder: string, env?: Readonly<Record<string, string>> }} where
 * @returns {Promise<TestResult>}
 */
export async function runTests(name, args, { root, folder, env = {} }) {
  const report = join(folder, `${name}-report.json`);
  rmSync(report, { force: true });
  const vitest = [process.execPath, 'node_modules/vitest/vitest.mjs', 'run', ...args];
  const limits = [`--testTimeout=${TEST_TIMEOUT_MS}`, `--hookTimeout=${TEST_TIMEOUT_MS}`];
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  // A failed test runs once more: the machine is busy.
  const how = { root, log: join(folder, `${name}.log`), env: { CI: 'true', ...env } };
  const code = await runLogged([...vitest, ...limits, ...reporters], how);
  return { code, ...readReport(readFileSync(report, 'utf8'), root) };
}

/**
 * The counts and failures in a report of vitest.
 * @param {string} report
 * @param {string} root
 * @returns {Omit<TestResult, 'code'>}
 */
export function readReport(report, root) {
  /** @type {{ numPassedTests: number, testResults: { name: string, message?: string, status: string, assertionResults: { status: string, fullName: string, failureMessages: string[] }[] }[] }} */
  const { numPassedTests, testResults } = JSON.parse(report);
  const failed = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name);
    const tests = assertionResults.filter((test) => test.status === 'failed');
    if (tests.length === 0 && status === 'failed') return [{ file, title: '(the file)', why: firstLine(message) }];
    return tests.map(({ fullName, failureMessages }) => ({
      file,
      title: fullName,
      why: firstLine(failureMessages[0]),
    }));
  });
  return { passed: numPassedTests, failed };
}

/** @param {string | undefined} text */
function firstLine(text = '') {
  const line = text.split('\n')[0]?.slice(0, 200) ?? '';
  return line === TIMED_OUT ? 'The test timed out.' : line;
}
