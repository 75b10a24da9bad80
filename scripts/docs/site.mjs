// npm run do -- docs:site builds the site into .cache/site/dist; npm run do -- docs:dev serves it while the pages are being written.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, statSync, symlinkSync, watch } from 'node:fs';
import { resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { stage } from './stage.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DOCS = resolve(ROOT, 'docs');

install();
stage();
linkModules();
if (process.argv.includes('--dev')) serve();
else process.exitCode = await build();

/** Installs the site generator if it is missing or older than its lockfile. */
function install() {
  const changedAt = (/** @type {string} */ path) =>
    statSync(resolve(DOCS, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (changedAt('node_modules/.package-lock.json') >= changedAt('package-lock.json')) return;
  console.error('Installing the site generator of docs/ (once) …');
  // Like scripts/fetch/tool.mjs: not `npm ci`, which refuses a lockfile that lacks the binaries of other platforms.
  const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const done = spawnSync('npm', ['install', '--prefix', DOCS, ...options], {
    cwd: DOCS,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (done.status !== 0) throw new Error(`npm install --prefix ${DOCS} failed: ${done.error?.message ?? done.status}`);
}

/** Links node_modules: the pages are outside of docs/, and their imports are resolved from there. */
function linkModules() {
  const link = resolve(ROOT, '.cache/site/node_modules');
  if (!existsSync(link)) symlinkSync(resolve(DOCS, 'node_modules'), link, 'junction');
}

/**
 * Builds the site; warnings and dead links are failures.
 * @returns {Promise<number>}
 */
async function build() {
  const child = vitepress('build', 'pipe');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk;
      process.stderr.write(chunk);
    });
  }
  const code = await new Promise((done, fail) => child.once('error', fail).once('close', done));
  const warnings = output.split('\n').filter((line) => /\bwarn(ing)?s?\b|^\(!\)/i.test(line));
  if (code === 0 && warnings.length > 0) console.error(`The site has warnings:\n${warnings.join('\n')}`);
  return warnings.length > 0 ? 1 : Number(code);
}

/** Serves the site; a saved page is updated. */
function serve() {
  const child = vitepress('dev', 'inherit');
  process.once('SIGTERM', () => child.kill());
  const layOut = (/** @type {string} */ _event, /** @type {string | null} */ file) => {
    if (!file?.endsWith('.md')) return;
    try {
      stage(true);
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
    }
  };
  const watchers = [DOCS, resolve(DOCS, 'guides')].map((folder) => watch(folder, layOut));
  child.once('close', (code) => {
    for (const watcher of watchers) watcher.close();
    process.exitCode = code ?? 1;
  });
}

/**
 * @param {string} command
 * @param {'pipe' | 'inherit'} output
 */
function vitepress(command, output) {
  const bin = resolve(DOCS, 'node_modules/vitepress/bin/vitepress.js');
  return spawn(process.execPath, [bin, command, DOCS], { cwd: ROOT, stdio: ['ignore', output, output] });
}
