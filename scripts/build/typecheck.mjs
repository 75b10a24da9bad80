// Type-checks every project of the repository, in parallel on all cores.
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { ensureBrowser } from '../fetch/browser.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TSC = resolve(ROOT, 'node_modules/typescript/bin/tsc');

// The inspector's browser tests are checked with the types of its driver.
ensureBrowser();

const folders = [
  ...readdirSync(resolve(ROOT, 'packages')).map((name) => join('packages', name)),
  'scripts',
  'examples',
  'conformance',
  'bench',
];
const waiting = folders.flatMap((folder) =>
  readdirSync(resolve(ROOT, folder))
    .filter((name) => /^tsconfig.*\.json$/.test(name))
    .map((name) => join(folder, name)),
);

await Promise.all(Array.from({ length: availableParallelism() }, checkWaiting));

async function checkWaiting() {
  for (let project = waiting.shift(); project !== undefined; project = waiting.shift()) {
    const code = await check(project);
    console.log(`${code === 0 ? 'ok    ' : 'failed'} ${project}`);
    if (code !== 0) process.exitCode = 1;
  }
}

/**
 * @param {string} project
 * @returns {Promise<number | null>}
 */
function check(project) {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [TSC, '-p', project, '--pretty', 'false'], { cwd: ROOT, stdio: 'inherit' });
    child.once('error', fail);
    child.once('close', done);
  });
}
