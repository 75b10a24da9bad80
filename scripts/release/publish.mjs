import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** @import { Package } from './packages.mjs' */

/**
 * How packages are published. `npm publish` gets the rest of the arguments: `--provenance`, `--tag next`.
 * @typedef {{ dryRun: boolean, registry?: string | undefined, args?: readonly string[], env?: NodeJS.ProcessEnv }} PublishOptions
 */

/**
 * Packs the built packages into a folder, in the given order.
 * @param {readonly Package[]} packages
 * @param {string} target
 * @returns {readonly { name: string, version: string, file: string }[]}
 */
export function packAll(packages, target) {
  mkdirSync(target, { recursive: true });
  return packages.map(({ folder, manifest: { name, version } }) => {
    const output = npm(['pack', '--json', '--silent', '--ignore-scripts', '--pack-destination', target], folder);
    const [{ filename }] = JSON.parse(output);
    return { name, version, file: join(target, filename) };
  });
}

/**
 * Publishes tarballs one after the other, so that each finds its dependencies; skips those that the registry has, so that a
 * release that was interrupted can be repeated.
 * @param {readonly { name: string, version: string, file: string }[]} tarballs
 * @param {PublishOptions} options
 */
export function publishAll(tarballs, { dryRun, registry, args = [], env = process.env }) {
  const at = registry === undefined ? [] : ['--registry', registry];
  for (const { name, version, file } of tarballs) {
    if (isPublished(`${name}@${version}`, at, env)) {
      console.log(`${name}@${version} is published already`);
      continue;
    }
    npm(
      ['publish', file, '--access', 'public', '--ignore-scripts', ...at, ...args, ...(dryRun ? ['--dry-run'] : [])],
      undefined,
      env,
    );
    console.log(`${name}@${version}${dryRun ? ' would be published' : ' is published'}`);
  }
}

/**
 * @param {string} spec
 * @param {readonly string[]} at
 * @param {NodeJS.ProcessEnv} env
 */
function isPublished(spec, at, env) {
  const args = ['view', spec, 'version', '--json', '--prefer-online', ...at];
  const { status, stdout } = run(args, undefined, env);
  if (status === 0) return stdout.trim() !== '';
  if (/"code": ?"E404"/.test(stdout)) return false;
  throw new Error(`npm view ${spec} failed: ${stdout}`);
}

/**
 * @param {readonly string[]} args
 * @param {string} [cwd]
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {string} What npm wrote to stdout.
 */
function npm(args, cwd, env) {
  const { status, stdout, stderr, error } = run(args, cwd, env);
  if (status !== 0) throw new Error(`npm ${args.slice(0, 2).join(' ')} failed: ${error?.message ?? stderr}`);
  return stdout;
}

/**
 * @param {readonly string[]} args
 * @param {string} [cwd]
 * @param {NodeJS.ProcessEnv} [env]
 */
function run(args, cwd, env = process.env) {
  return spawnSync('npm', args, { cwd, env, encoding: 'utf8', shell: process.platform === 'win32' });
}
