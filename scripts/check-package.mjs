// Packs every package that is published and checks the tarballs, as npm would publish them: publint for the shape, attw for the types.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { runTool } from './tool.mjs';

const PACKAGES = fileURLToPath(new URL('../packages', import.meta.url));
/** Its code is bundled into the packages that use it. */
const NEVER_PUBLISHED = '@coxswain/shared';
/** Node prints the whole source line of an uncaught error. */
const LONGEST_LINE = 5_000;
const tarballs = mkdtempSync(join(tmpdir(), 'coxswain-pack-'));

try {
  for (const name of readdirSync(PACKAGES)) {
    const folder = join(PACKAGES, name);
    if (manifestOf(folder).private) continue;
    const { tarball, missing, tooLong, unbundled } = pack(folder);
    if (missing.length > 0)
      console.error(`${folder}: package.json lists files that do not exist: ${missing.join(', ')}`);
    if (tooLong.length > 0) console.error(`${folder}: lines too long to be shown with an error: ${tooLong.join(', ')}`);
    if (unbundled.length > 0) console.error(`${folder}: imports ${NEVER_PUBLISHED}: ${unbundled.join(', ')}`);
    const shape = runTool('publint', ['run', tarball, '--strict']);
    const types = runTool('attw', [tarball, '--profile', 'esm-only', '--no-emoji', '--no-color']);
    const problems = missing.length + tooLong.length + unbundled.length;
    if (problems > 0 || shape !== 0 || types !== 0) process.exitCode = 1;
  }
} finally {
  rmSync(tarballs, { recursive: true, force: true });
}

/**
 * @param {string} folder
 * @returns {{ private?: boolean; files?: string[] }}
 */
function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** @param {string} folder */
function pack(folder) {
  const done = spawnSync('npm', ['pack', '--json', '--silent', '--pack-destination', tarballs], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (done.status !== 0) throw new Error(`npm pack failed in ${folder}: ${done.error?.message ?? done.status}`);
  const [{ filename, files }] = JSON.parse(done.stdout);
  const missing = (manifestOf(folder).files ?? []).filter(
    (listed) =>
      !files.some((/** @type {{ path: string }} */ { path }) => path === listed || path.startsWith(`${listed}/`)),
  );
  /** @type {string[]} */
  const modules = files
    .map((/** @type {{ path: string }} */ { path }) => path)
    .filter((/** @type {string} */ path) => path.endsWith('.mjs') || path.endsWith('.mts'));
  const tooLong = modules.filter((path) => path.endsWith('.mjs') && longestLine(join(folder, path)) > LONGEST_LINE);
  const unbundled = modules.filter((path) => readFileSync(join(folder, path), 'utf8').includes(NEVER_PUBLISHED));
  return { tarball: join(tarballs, filename), missing, tooLong, unbundled };
}

/** @param {string} file */
function longestLine(file) {
  return Math.max(
    ...readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.length),
  );
}
