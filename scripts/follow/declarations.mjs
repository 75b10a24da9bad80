import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { compareDeclarations, controlRequestsIn } from './compare-declarations.mjs';

const FILES = ['sdk.d.ts', 'sdk-tools.d.ts', 'core.d.ts'];

/**
 * Fetches the declarations of both releases of the official SDK, and compares them.
 * @param {import('./steps.mjs').Followed} followed
 */
export async function declarations({ from, to, cache }) {
  const [old, now] = [fetchSdk(from.sdk, cache), fetchSdk(to.sdk, cache)];
  const files = FILES.map((file) => ({ file, ...compareDeclarations(readIn(old, file), readIn(now, file)) }));
  const requests = controlRequestsIn(readIn(now, 'sdk.d.ts'));
  return { files, requests: [...new Set([...requests, ...controlRequestsIn(readIn(old, 'sdk.d.ts'))])].toSorted() };
}

/**
 * Unpacks a release of the official SDK without its dependencies, and returns the folder. Nothing of it is run.
 * @param {string} version
 * @param {string} cache
 */
function fetchSdk(version, cache) {
  const folder = join(cache, 'sdk', version);
  if (existsSync(folder)) return folder;
  const work = `${folder}.work`;
  mkdirSync(work, { recursive: true });
  run('npm', ['pack', `@anthropic-ai/claude-agent-sdk@${version}`, '--ignore-scripts', '--loglevel=error'], work);
  run('tar', ['-xzf', `anthropic-ai-claude-agent-sdk-${version}.tgz`], work);
  renameSync(join(work, 'package'), folder);
  return folder;
}

/**
 * @param {string} program
 * @param {readonly string[]} args
 * @param {string} cwd
 */
function run(program, args, cwd) {
  const done = spawnSync(program, args, { cwd, encoding: 'utf8', shell: process.platform === 'win32' });
  if (done.status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${done.stderr || done.error?.message}`);
}

/**
 * @param {string} folder
 * @param {string} file
 */
function readIn(folder, file) {
  const path = join(folder, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
