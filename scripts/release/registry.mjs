import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureRuntime } from '../fetch/runtime.mjs';
import { ensureInstalled } from '../fetch/tool.mjs';

/** Verdaccio and the package managers, with their own lockfile. */
export const TOOLS = fileURLToPath(new URL('../../tools/registry', import.meta.url));

const STARTS_WITHIN_MS = 60_000;

/** Our packages come from this registry only; all others are fetched from npm when they are asked for. */
const CONFIG = `storage: ./storage
auth: { htpasswd: { file: ./htpasswd, max_users: -1 } }
uplinks: { npm: { url: 'https://registry.npmjs.org/', timeout: 60s, maxage: 60m } }
packages:
  coxswain: { access: $all, publish: $all }
  create-coxswain: { access: $all, publish: $all }
  '@coxswain/*': { access: $all, publish: $all }
  '**': { access: $all, proxy: npm }
log: { type: file, path: ./registry.log, level: warn }
`;

/**
 * Starts a registry on loopback in a folder.
 * @param {string} folder
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
export async function startRegistry(folder) {
  ensureInstalled(TOOLS, 'a registry and the package managers');
  const node = ensureRuntime('node', '22');
  if (node === undefined) throw new Error('npm has no package node@22, which the registry needs.');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'config.yaml'), CONFIG);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const args = [
    join(TOOLS, 'node_modules/verdaccio/bin/verdaccio'),
    '--config',
    'config.yaml',
    '--listen',
    `127.0.0.1:${port}`,
  ];
  const child = spawn(node, args, { cwd: folder, stdio: 'ignore' });
  /** @type {Promise<void>} */
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => resolve());
  });
  const failed = ended.then(() => {
    throw new Error(`The registry ended before it answered: see ${join(folder, 'registry.log')}.`);
  });
  try {
    await Promise.race([answers(`${url}-/ping`), failed]);
  } catch (error) {
    child.kill();
    throw error;
  } finally {
    failed.catch(() => {});
  }
  const stop = async () => {
    child.kill();
    await ended;
  };
  return { url, stop };
}

/** @param {string} url */
async function answers(url) {
  const until = Date.now() + STARTS_WITHIN_MS;
  while (Date.now() < until) {
    const isUp = await fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`The registry did not answer within ${STARTS_WITHIN_MS / 1000} s.`);
}

/** @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}
