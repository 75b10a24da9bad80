// npm run do -- test:container: builds examples/container/Dockerfile with buildah, starts the image, asks its agent a question and stops it.
// Needs root and the Debian packages buildah and debootstrap. There is no registry of images here: debootstrap and the npm packages
// node and npm make the image that the Dockerfile begins with. The API is a fake one on loopback.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startFakeApi, text } from '@coxswain/testkit';
import { ensureRuntime } from '../fetch/runtime.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const WORK = join(ROOT, '.cache/container');
const BASE = 'docker.io/library/node:24-bookworm-slim';
const STORAGE = ['--root', join(WORK, 'storage'), '--storage-driver', 'vfs'];
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
const NPM = '11.6.2';
const PORT = '18080';

const run = promisify(execFile);
mkdirSync(WORK, { recursive: true });
try {
  if (!(await hasImage(BASE))) await makeBase();
  await buildImage('coxswain-example');
  await tryImage('coxswain-example');
} catch (error) {
  console.error(`container: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}

/** @param {string} name */
async function hasImage(name) {
  return buildah('inspect', '--type', 'image', name).then(
    () => true,
    () => false,
  );
}

/** What stands in for the image of Node: Debian, with Node and npm, and with the certificates of this machine. */
async function makeBase() {
  console.log(`Making ${BASE} …`);
  const rootfs = join(WORK, 'rootfs');
  const node = ensureRuntime('node', '24');
  if (node === undefined) throw new Error('npm has no Node 24.');
  if (!existsSync(join(rootfs, 'usr/bin/openssl')))
    await run('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', rootfs]);
  const library = join(rootfs, 'usr/local/lib');
  await run('npm', ['install', '--prefix', library, '--no-audit', '--no-fund', `npm@${NPM}`]);
  cpSync(node, join(rootfs, 'usr/local/bin/node'), { dereference: true });
  for (const name of ['npm', 'npx'])
    await run('ln', ['-sf', `../lib/node_modules/npm/bin/${name}-cli.js`, join(rootfs, 'usr/local/bin', name)]);
  cpSync(CERTIFICATES, join(rootfs, CERTIFICATES), { dereference: true });
  const container = await buildah('from', 'scratch');
  await buildah('add', '--quiet', container, rootfs, '/');
  await buildah('config', '--env', `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`, container);
  await buildah('commit', '--quiet', '--rm', container, BASE);
  rmSync(rootfs, { recursive: true });
}

/**
 * Builds the example like a user's project. Until Coxswain is on npm, a server on loopback has its package.
 * @param {string} tag
 */
async function buildImage(tag) {
  const context = join(WORK, 'context');
  rmSync(context, { recursive: true, force: true });
  cpSync(join(ROOT, 'examples/container'), context, { recursive: true });
  await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', WORK], {
    cwd: join(ROOT, 'packages/sdk'),
  });
  const packed = readdirSync(WORK).filter((name) => name.endsWith('.tgz'));
  const registry = createServer((_, response) => createReadStream(join(WORK, String(packed[0]))).pipe(response));
  registry.listen(0, '127.0.0.1');
  await once(registry, 'listening');
  const address = /** @type {import('node:net').AddressInfo} */ (registry.address());
  try {
    const manifest = join(context, 'package.json');
    const url = `http://127.0.0.1:${address.port}/coxswain.tgz`;
    writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('^0.2.0', url));
    await run('npm', ['install', '--package-lock-only', '--no-audit', '--no-fund'], { cwd: context });
    console.log('Building the image …');
    const started = performance.now();
    await buildah('bud', '--isolation', 'chroot', '--layers', '--pull-never', '--quiet', '--tag', tag, context);
    console.log(`Built in ${Math.round((performance.now() - started) / 1000)} s.`);
  } finally {
    registry.close();
    for (const name of packed) rmSync(join(WORK, name));
  }
}

/** @param {string} tag */
async function tryImage(tag) {
  const api = await startFakeApi([], { fallback: text('A boat.') });
  const container = await buildah('from', '--pull-never', tag);
  const env = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'sk-ant-api03-not-a-real-key', PORT };
  const variables = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  // buildah runs neither the entry point nor the command of an image by itself.
  const command = ['tini', '--', 'node', 'dist/main.js'];
  const args = [...STORAGE, 'run', '--isolation', 'chroot', ...variables, container, '--', ...command];
  const running = spawn('buildah', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  running.on('error', (error) => console.error(error.message));
  const exited = once(running, 'exit');
  try {
    const [line] = await Promise.race([once(running.stdout, 'data'), exited]);
    if (!String(line).includes("kind: 'found'")) throw new Error(`The container printed ${line}.`);
    const answer = await fetch(`http://127.0.0.1:${PORT}/ask`, { method: 'POST', body: 'What is there?' });
    const said = await answer.text();
    if (said !== 'A boat.\n') throw new Error(`The agent answered ${answer.status} ${said}`);
    const server = await pidOf('node dist/main.js');
    const owner = (await run('ps', ['-o', 'uid=', '-p', server])).stdout.trim();
    if (owner === '0') throw new Error('The agent runs as root.');
    const started = performance.now();
    process.kill(Number(server), 'SIGTERM');
    const [code] = await exited;
    if (code !== 0) throw new Error(`After SIGTERM, the container exited with ${code}.`);
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`The agent answered as user ${owner}; the container stopped with 0 in ${seconds} s.`);
  } finally {
    running.kill('SIGKILL');
    await api.close();
    await buildah('rm', container);
  }
}

/** @param {string} command */
async function pidOf(command) {
  const { stdout } = await run('pgrep', ['--full', '--exact', command]);
  return stdout.trim();
}

/** @param {readonly string[]} args */
async function buildah(...args) {
  const { stdout } = await run('buildah', [...STORAGE, ...args], { maxBuffer: 64 * 1024 * 1024 });
  return stdout.trim();
}
