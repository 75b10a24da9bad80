// Downloads Debian's bubblewrap, and what the CLI's sandbox needs besides, to .cache without installing them: `apt-get download` and
// `dpkg -x`.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../.cache/bubblewrap', import.meta.url));
const SANDBOX = fileURLToPath(new URL('../../.cache/sandbox', import.meta.url));

/** The path of bubblewrap: downloaded on first use. */
export function bubblewrap() {
  const path = join(FOLDER, 'usr/bin/bwrap');
  if (!existsSync(path)) download(FOLDER, ['bubblewrap']);
  return path;
}

/** A folder for PATH with the programs that the sandbox of the CLI needs: downloaded on first use. */
export function sandboxPrograms() {
  const socat = join(SANDBOX, 'usr/bin/socat');
  if (!existsSync(socat)) download(SANDBOX, ['socat', 'libwrap0', 'libnsl2', 'libtirpc3']);
  const bin = join(SANDBOX, 'bin');
  mkdirSync(bin, { recursive: true });
  const libraries = ['usr/lib', 'lib'].flatMap((folder) => librariesIn(join(SANDBOX, folder))).join(':');
  program(join(bin, 'socat'), `LD_LIBRARY_PATH='${libraries}' exec '${socat}' "$@"`);
  program(join(bin, 'bwrap'), `exec '${bubblewrap()}' "$@"`);
  return bin;
}

/** @param {string} folder */
function librariesIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => (name.includes('linux-gnu') ? [join(folder, name)] : []));
}

/** @param {string} path @param {string} line */
function program(path, line) {
  writeFileSync(path, `#!/bin/sh\n${line}\n`);
  chmodSync(path, 0o755);
}

/** @param {string} folder @param {readonly string[]} packages */
function download(folder, packages) {
  mkdirSync(folder, { recursive: true });
  run(folder, 'apt-get', ['download', ...packages]);
  for (const name of readdirSync(folder)) if (name.endsWith('.deb')) run(folder, 'dpkg', ['-x', name, '.']);
}

/** @param {string} cwd @param {string} command @param {string[]} args */
function run(cwd, command, args) {
  const done = spawnSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
  if (done.status === 0) return;
  const reason = done.error?.message ?? done.stderr;
  throw new Error(`${command} ${args[0]} failed: ${reason}. Install bubblewrap and socat, or use Debian or Ubuntu.`);
}
