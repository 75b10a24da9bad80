// npm run do -- test:projects [name…]: tests the projects of examples/testing like a user. Packs the packages, copies each project to
// .cache/projects/<name>, installs the tarballs and its own dependencies from the registry, and runs its tests. So it does with
// new projects of create-coxswain (created-*), and with one that `cox init` extends (initialised).
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { fetchCli, releases } from '../fetch/cli.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROJECTS = join(ROOT, 'examples/testing');
const WORK = join(ROOT, '.cache/projects');
const INSTALL = [
  '--no-package-lock',
  '--ignore-scripts',
  '--prefer-offline',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
];
const TIMEOUT_MS = 5 * 60_000;

/** The projects that are made, and the scripts that must pass besides `test`. */
const MADE = new Map([
  ['created-typescript', ['typecheck', 'rehearse']],
  ['created-javascript', []],
  ['initialised', ['agent:test', 'typecheck']],
]);
const copied = readdirSync(PROJECTS).filter((name) => readdirSync(join(PROJECTS, name)).includes('package.json'));
const all = [...copied, ...MADE.keys()];
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`example-projects: no project ${unknown.join(', ')}; choose from ${all.join(', ')}.`);
  process.exit(2);
}

// The project with rehearsals needs the packages of the command line, and the pinned release.
const tarballs = packAll(['sdk', 'testkit', 'rehearsal', 'inspector', 'create-coxswain', 'cli']);
const chosen = wanted.length > 0 ? wanted : all;
if (chosen.includes('rehearsal') || chosen.includes('created-typescript')) await fetchCli(releases().pinned);
const lines = chosen.map((name) => {
  console.log(`\n== ${name}`);
  const folder = MADE.has(name) ? makeProject(name) : copyProject(name);
  useTarballs(folder, tarballs);
  const installed = timed(() => run(['install', ...INSTALL], folder));
  const scripts = ['test', ...(MADE.get(name) ?? [])];
  const tested = timed(() => installed.ok && scripts.every((script) => run(['run', '--silent', script], folder)));
  if (!tested.ok) process.exitCode = 1;
  return `${tested.ok ? 'ok    ' : 'failed'} ${name.padEnd(18)} install ${installed.seconds} s, tests ${tested.seconds} s`;
});
console.log(`\n${lines.join('\n')}`);

/**
 * Packs the built packages; returns the path of each tarball by package name.
 * @param {readonly string[]} folders
 * @returns {Map<string, string>}
 */
function packAll(folders) {
  const target = join(WORK, 'tarballs');
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  return new Map(
    folders.map((folder) => {
      const cwd = join(ROOT, 'packages', folder);
      const done = npm(['pack', '--json', '--silent', '--ignore-scripts', '--pack-destination', target], cwd, 'pipe');
      if (done.status !== 0) throw new Error(`npm pack failed in ${cwd}: ${done.error?.message ?? done.stderr}`);
      const [{ name, filename }] = JSON.parse(done.stdout);
      return [name, join(target, filename)];
    }),
  );
}

/**
 * A fresh copy of a project.
 * @param {string} name
 */
function copyProject(name) {
  const folder = emptied(name);
  cpSync(join(PROJECTS, name), folder, { recursive: true, filter: (path) => !path.includes('node_modules') });
  return folder;
}

/**
 * A new project, made by the packed create-coxswain, or an existing one with an agent.
 * @param {string} name
 */
function makeProject(name) {
  const folder = emptied(name);
  const [, language = 'typescript'] = /^created-(.*)$/.exec(name) ?? [];
  if (name !== 'initialised') {
    const args = [name, '--yes', '--language', language, '--package-manager', 'npm'];
    const from = ['exec', '--yes', `--package=file:${tarballs.get('create-coxswain')}`, '--', 'create-coxswain'];
    if (!run([...from, ...args], WORK)) throw new Error(`create-coxswain failed for ${name}`);
    return folder;
  }
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{ "name": "shop", "scripts": { "test": "node --check shop.js" } }');
  writeFileSync(join(folder, 'shop.js'), 'module.exports = {};\n');
  const cox = join(ROOT, 'packages/cli/dist/cox.mjs');
  const done = spawnSync(process.execPath, [cox, 'init', '--cwd', folder], { stdio: 'inherit', timeout: TIMEOUT_MS });
  if (done.status !== 0) throw new Error(`cox init failed for ${name}`);
  return folder;
}

/** @param {string} name */
function emptied(name) {
  const folder = join(WORK, name);
  rmSync(folder, { recursive: true, force: true });
  return folder;
}

/**
 * Makes the tarballs the project's dependencies on our packages.
 * @param {string} folder
 * @param {ReadonlyMap<string, string>} tarballs
 */
function useTarballs(folder, tarballs) {
  const file = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  for (const list of [manifest.dependencies, manifest.devDependencies]) {
    for (const dependency of Object.keys(list)) {
      const tarball = tarballs.get(dependency);
      if (tarball !== undefined) list[dependency] = `file:${tarball}`;
    }
  }
  // The test kit depends on a release of the SDK that is not published yet.
  const ours = [...tarballs.keys()].filter((dependency) => dependency !== 'coxswain');
  manifest.overrides = {
    coxswain: '$coxswain',
    ...Object.fromEntries(
      ours.filter((one) => !(one in manifest.devDependencies)).map((one) => [one, `file:${tarballs.get(one)}`]),
    ),
    ...Object.fromEntries(ours.filter((one) => one in manifest.devDependencies).map((one) => [one, `$${one}`])),
  };
  writeFileSync(file, JSON.stringify(manifest, null, 2));
}

/**
 * @param {readonly string[]} args
 * @param {string} cwd
 */
function run(args, cwd) {
  const done = npm(args, cwd, 'inherit');
  if (done.error) console.error(`npm ${args[0]}: ${done.error.message}`);
  return done.status === 0;
}

/**
 * @param {readonly string[]} args
 * @param {string} cwd
 * @param {'pipe' | 'inherit'} output
 */
function npm(args, cwd, output) {
  return spawnSync('npm', args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, COXSWAIN_RELEASES: join(ROOT, '.cache/cli') },
    stdio: ['ignore', output, output],
    shell: process.platform === 'win32',
    timeout: TIMEOUT_MS,
  });
}

/** @param {() => boolean} step */
function timed(step) {
  const start = performance.now();
  const ok = step();
  return { ok, seconds: ((performance.now() - start) / 1000).toFixed(1) };
}
