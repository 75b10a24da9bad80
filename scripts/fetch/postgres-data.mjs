// Creates the data of a new PostgreSQL server once. The tests start most of their servers on copies: that takes a tenth of the time.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { ensurePostgres, POSTGRES_BINARIES } from './postgres.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** @type {{ optionalDependencies: Record<string, string> }} */
const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'tools/postgres/package.json'), 'utf8'));
const [version] = Object.values(optionalDependencies);

/** The folder with the data, which belongs to the user that the server runs as. */
const DATA = join(ROOT, `.cache/postgres-data/${version}`);

/**
 * Copies the data into the folder of a server that does not exist yet; without it, the server creates its own.
 * @param {string} directory
 */
export function copyPostgresData(directory) {
  if (!existsSync(DATA)) return;
  mkdirSync(directory, { recursive: true });
  execFileSync('cp', ['-a', DATA, join(directory, 'data')]);
}

/** Creates the data on first use. */
async function ensurePostgresData() {
  if (existsSync(DATA)) return;
  ensurePostgres();
  const { startEmbedded } = await import('@coxswain/fleet');
  const directory = mkdtempSync(join(tmpdir(), 'coxswain-postgres-data-'));
  const server = await startEmbedded({ directory, binaries: POSTGRES_BINARIES });
  await server.close();
  mkdirSync(dirname(DATA), { recursive: true });
  // Renamed when complete: an interrupted copy is never used.
  const copy = `${DATA}.${process.pid}`;
  execFileSync('cp', ['-a', join(server.directory, 'data'), copy]);
  renameSync(copy, DATA);
  for (const folder of new Set([directory, server.directory])) rmSync(folder, { recursive: true, force: true });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await ensurePostgresData();
