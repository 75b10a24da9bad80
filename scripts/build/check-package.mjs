// Packs every package that is published and checks the tarballs that npm would publish: publint for the shape, attw for the types.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { runTool } from '../fetch/tool.mjs';

const PACKAGES = fileURLToPath(new URL('../../packages', import.meta.url));
/** Its code is bundled into the packages that use it. */
const NEVER_PUBLISHED = '@coxswain/shared';
/** Maximum line length: Node prints the whole source line of an uncaught error. */
const LONGEST_LINE = 5_000;
const tarballs = mkdtempSync(join(tmpdir(), 'coxswain-pack-'));

try {
  for (const name of readdirSync(PACKAGES)) {
    const folder = join(PACKAGES, name);
    if (manifestOf(folder).private) continue;
    const { tarball, missing, tooLong, unbundled, untyped } = pack(folder);
    if (missing.length > 0)
      console.error(`${folder}: package.json lists files that do not exist: ${missing.join(', ')}`);
    if (tooLong.length > 0) console.error(`${folder}: lines too long to be shown with an error: ${tooLong.join(', ')}`);
    if (unbundled.length > 0) console.error(`${folder}: imports ${NEVER_PUBLISHED}: ${unbundled.join(', ')}`);
    if (untyped.length > 0)
      console.error(`${folder}: declarations import packages whose types users do not have: ${untyped}`);
    const shape = runTool('publint', ['run', tarball, '--strict']);
    const types = runTool('attw', [tarball, '--profile', 'esm-only', '--no-emoji', '--no-color']);
    const problems = missing.length + tooLong.length + unbundled.length + untyped.length;
    if (problems > 0 || shape !== 0 || types !== 0) process.exitCode = 1;
  }
} finally {
  rmSync(tarballs, { recursive: true, force: true });
}

/**
 * @param {string} folder
 * @returns {{ private?: boolean; files?: string[]; devDependencies?: Record<string, string> }}
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
  const { files: listedFiles = [], devDependencies = {} } = manifestOf(folder);
  const missing = listedFiles.filter(
    (listed) =>
      !files.some((/** @type {{ path: string }} */ { path }) => path === listed || path.startsWith(`${listed}/`)),
  );
  /** @type {string[]} */
  const modules = files
    .map((/** @type {{ path: string }} */ { path }) => path)
    .filter((/** @type {string} */ path) => path.endsWith('.mjs') || path.endsWith('.mts'));
  const tooLong = modules.filter((path) => path.endsWith('.mjs') && longestLine(join(folder, path)) > LONGEST_LINE);
  const unbundled = modules.filter((path) => readFileSync(join(folder, path), 'utf8').includes(NEVER_PUBLISHED));
  const untyped = modules
    .filter((path) => path.endsWith('.mts'))
    .flatMap((path) =>
      [...readFileSync(join(folder, path), 'utf8').matchAll(/from "([^".]+)"/g)].map(([, name]) => name),
    )
    .filter((name) => `@types/${name}` in devDependencies);
  return { tarball: join(tarballs, filename), missing, tooLong, unbundled, untyped };
}

/** @param {string} file */
function longestLine(file) {
  return Math.max(
    ...readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.length),
  );
}
