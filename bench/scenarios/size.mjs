// The size of an installation: packed, unpacked, how many packages, and how much of it an import reads.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OFFICIAL_FOLDER, officialEntry, officialSpec } from '../peer.mjs';
import { section } from '../section.mjs';

export async function run() {
  const folder = fileURLToPath(new URL('../../packages/sdk/', import.meta.url));
  const { dependencies = {} } = JSON.parse(readFileSync(`${folder}package.json`, 'utf8'));
  const own = pack(folder, []);
  const rows = [
    {
      contender: 'coxswain',
      packedKb: own.size / 1024,
      unpackedKb: own.unpackedSize / 1024,
      packages: 1 + Object.keys(dependencies).length,
      eagerKb: bytesRead(import.meta.resolve('coxswain')) / 1024,
    },
  ];
  if (officialEntry()) rows.push(officialRow());
  return [section('size', 'Installed size, the official SDK without its bundled CLI', rows)];
}

function officialRow() {
  const { packages } = JSON.parse(readFileSync(`${OFFICIAL_FOLDER}node_modules/.package-lock.json`, 'utf8'));
  return {
    contender: 'official',
    packedKb: pack(OFFICIAL_FOLDER, [officialSpec]).size / 1024,
    unpackedKb: folderBytes(`${OFFICIAL_FOLDER}node_modules`) / 1024,
    packages: Object.keys(packages).length,
    eagerKb: bytesRead(officialEntry()) / 1024,
  };
}

/** The files that npm would publish, or has published. */
function pack(cwd, spec) {
  const { stdout } = spawnSync('npm', ['pack', ...spec, '--dry-run', '--json', '--silent'], { cwd, encoding: 'utf8' });
  return JSON.parse(stdout)[0];
}

/** The size of all files that V8 loads when a module is imported. */
function bytesRead(address) {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-bench-'));
  try {
    const code = `await import(${JSON.stringify(address)}); process.exit()`;
    spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      env: { ...process.env, NODE_V8_COVERAGE: folder },
    });
    const urls = readdirSync(folder).flatMap((name) =>
      JSON.parse(readFileSync(join(folder, name), 'utf8')).result.map(({ url }) => url),
    );
    const files = new Set(urls.filter((url) => url.startsWith('file:') && existsSync(fileURLToPath(url))));
    return [...files].reduce((sum, url) => sum + statSync(fileURLToPath(url)).size, 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function folderBytes(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath ?? entry.path, entry.name)).size, 0);
}
