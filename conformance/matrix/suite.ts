import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How many tests of the suite passed, failed and were skipped. */
export interface SuiteCounts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Runs the whole vitest suite for the real CLI against one release. */
export async function runSuite(version: string): Promise<SuiteCounts> {
  const folder = await mkdtemp(join(tmpdir(), 'cox-suite-'));
  const report = join(folder, 'report.json');
  try {
    await vitest(['--reporter=json', `--outputFile.json=${report}`], { COXSWAIN_RELEASE: version });
    const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(await readFile(report, 'utf8'));
    return { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A suite with failures exits with 1; only the report has the details. */
function vitest(args: readonly string[], env: Record<string, string>): Promise<void> {
  const script = join(ROOT, 'node_modules/vitest/vitest.mjs');
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, 'run', '--project', 'real', '--retry=0', ...args], {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    child.on('error', reject);
    child.on('close', () => resolve());
  });
}
