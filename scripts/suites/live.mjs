// npm run do -- test:live: a short suite on the real CLI and the real API (conformance/live). It costs a few cents, so it runs only
// when enabled with COXSWAIN_LIVE=1, and never in CI. Exit code 0: every test passed; 1: not every one; 2: not run, with the reason.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const REPORT = join(ROOT, '.cache/live.json');
const LONGEST_MS = 5 * 60_000;
const KEYS = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'];

/**
 * What is missing for a run against the real API, as text; empty if everything is available.
 * @param {Readonly<Record<string, string | undefined>>} env
 * @param {{ readonly cli: string | undefined, loggedIn: () => boolean }} means
 * @returns {string[]}
 */
export function missingMeans(env, means) {
  const missing = [];
  if (env.COXSWAIN_LIVE !== '1')
    missing.push('COXSWAIN_LIVE=1 is not set: the suite uses the real API and costs a few cents.');
  if (env.CI !== undefined && env.CI !== '' && env.CI !== 'false')
    missing.push('CI is set: the suite never runs in CI.');
  if (means.cli === undefined) missing.push('No Claude Code CLI was found: install it, or name it in COXSWAIN_CLI.');
  // The CLI is not started unless a run was requested.
  if (missing.length > 0) return missing;
  if (!hasKey(env) && !means.loggedIn()) {
    missing.push(
      `There is no key (${KEYS.join(', ')}), and the CLI at ${means.cli} is not logged in (claude auth login).`,
    );
  }
  return missing;
}

/**
 * The verdict on a vitest report: the suite has passed only if every test ran and passed.
 * @param {{ readonly numTotalTests: number, readonly numPassedTests: number, readonly numFailedTests: number } | undefined} report
 * @returns {{ readonly code: 0 | 1, readonly text: string }}
 */
export function verdictOn(report) {
  if (report === undefined) return { code: 1, text: 'failed: the suite left no report.' };
  const { numTotalTests: total, numPassedTests: passed, numFailedTests: failed } = report;
  const counts = `${passed} of ${total} tests passed, ${failed} failed, ${total - passed - failed} did not run`;
  return total > 0 && passed === total
    ? { code: 0, text: `passed: ${counts}.` }
    : { code: 1, text: `failed: ${counts}.` };
}

/** @param {Readonly<Record<string, string | undefined>>} env */
function hasKey(env) {
  return KEYS.some((name) => env[name] !== undefined && env[name] !== '');
}

async function main() {
  const { inspectCli } = await import('coxswain/cli');
  const cli = (await inspectCli()).found?.path;
  const missing = missingMeans(process.env, { cli, loggedIn: () => cli !== undefined && isLoggedIn(cli) });
  if (missing.length > 0) {
    console.error(['test:live: not run.', ...missing.map((line) => `  - ${line}`)].join('\n'));
    return 2;
  }
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-live-'));
  const cwd = join(folder, 'project');
  mkdirSync(cwd);
  try {
    rmSync(REPORT, { force: true });
    // With a key, the CLI needs nothing from the user's own folder, where a login is stored.
    const ofKey = hasKey(process.env) ? { COXSWAIN_LIVE_CONFIG_DIR: join(folder, 'config') } : {};
    await runSuite({ ...process.env, COXSWAIN_LIVE_CWD: cwd, ...ofKey });
    const { code, text } = verdictOn(readReport());
    console.log(`test:live: ${text}`);
    return code;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

/**
 * True if the CLI reports a login by its exit code.
 * @param {string} cli
 */
function isLoggedIn(cli) {
  try {
    execFileSync(cli, ['auth', 'status'], { stdio: 'ignore', timeout: 20_000 });
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<void>}
 */
function runSuite(env) {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const config = join(ROOT, 'conformance/live/vitest.config.ts');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${REPORT}`];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [vitest, 'run', '--config', config, ...reporters], {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'inherit', 'inherit'],
      timeout: LONGEST_MS,
    });
    child.once('error', reject);
    child.once('close', (_, signal) => {
      if (signal)
        console.error(`test:live: ended by ${signal}; the limit of the suite is ${LONGEST_MS / 60_000} minutes.`);
      resolve();
    });
  });
}

function readReport() {
  try {
    return JSON.parse(readFileSync(REPORT, 'utf8'));
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main();
