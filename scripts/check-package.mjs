// Packs every package and checks the tarballs that npm would publish: publint for the shape, attw for the types.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { runTool } from './tool.mjs';

const PACKAGES = fileURLToPath(new URL('../packages', import.meta.url));
/** Maximum line length: Node prints the whole source line of an uncaught error. */
const LONGEST_LINE = 5_000;
const tarballs = mkdtempSync(join(tmpdir(), 'coxswain-pack-'));

try {
  for (const name of readdirSync(PACKAGES)) {
    const folder = join(PACKAGES, name);
    const { tarball, missing, tooLong } = pack(folder);
    if (missing.length > 0)
      console.error(`${folder}: package.json lists files that do not exist: ${missing.join(', ')}`);
    if (tooLong.length > 0) console.error(`${folder}: lines too long to be shown with an error: ${tooLong.join(', ')}`);
    const shape = runTool('publint', ['run', tarball, '--strict']);
    const types = runTool('attw', [tarball, '--profile', 'esm-only', '--no-emoji', '--no-color']);
    if (missing.length > 0 || tooLong.length > 0 || shape !== 0 || types !== 0) process.exitCode = 1;
  }
} finally {
  rmSync(tarballs, { recursive: true, force: true });
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
  /** @type {{ files: string[] }} */
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const missing = manifest.files.filter(
    (listed) =>
      !files.some((/** @type {{ path: string }} */ { path }) => path === listed || path.startsWith(`${listed}/`)),
  );
  const tooLong = files
    .map((/** @type {{ path: string }} */ { path }) => path)
    .filter((/** @type {string} */ path) => path.endsWith('.mjs') && longestLine(join(folder, path)) > LONGEST_LINE);
  return { tarball: join(tarballs, filename), missing, tooLong };
}

/** @param {string} file */
function longestLine(file) {
  return Math.max(
    ...readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.length),
  );
}
