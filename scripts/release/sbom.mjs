import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The software bill of materials of the release, in SPDX: our packages and everything that `npm install` brings with them.
 * @param {readonly { name: string, file: string }[]} tarballs
 * @param {string} version
 * @returns {string}
 */
export function sbomOf(tarballs, version) {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-sbom-'));
  try {
    const dependencies = Object.fromEntries(tarballs.map(({ name, file }) => [name, `file:${file}`]));
    const overrides = Object.fromEntries(tarballs.map(({ name }) => [name, `$${name}`]));
    const manifest = { name: 'coxswain-release', version, private: true, license: 'MIT', dependencies, overrides };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    npm(['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], folder);
    return npm(['sbom', '--package-lock-only', '--sbom-format=spdx', '--sbom-type=application'], folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {readonly string[]} args
 * @param {string} cwd
 */
function npm(args, cwd) {
  const done = spawnSync('npm', args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32',
  });
  if (done.status !== 0) throw new Error(`npm ${args[0]} failed: ${done.error?.message ?? done.stderr}`);
  return done.stdout;
}
