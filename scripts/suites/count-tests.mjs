// node scripts/suites/count-tests.mjs <report>: prints one line about a vitest run, from its JSON report.
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/**
 * A test file that failed as a whole counts as one failure: vitest may have reported none of its tests.
 * @typedef {{ status: string, assertionResults: { status: string }[] }} FileReport
 * @param {{ success: boolean, testResults: FileReport[] }} report
 */
export function summarise(report) {
  const tests = report.testResults.flatMap((file) => file.assertionResults);
  const passed = tests.filter((test) => test.status === 'passed').length;
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const failed = tests.filter((test) => test.status === 'failed').length + broken;
  const skipped = tests.length - passed - (failed - broken);
  const line = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
  // An unhandled error fails the run without failing a test.
  return report.success || failed > 0 ? line : `${line}, and the run itself failed`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const path = process.argv[2] ?? '.cache/tests.json';
  try {
    console.log(summarise(JSON.parse(readFileSync(path, 'utf8'))));
  } catch (error) {
    console.error(`The tests left no report at ${path}: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
}
