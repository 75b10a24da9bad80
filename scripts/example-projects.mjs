// npm run test:projects [-- name…]: tests the projects of examples/testing like a user. Packs the packages, copies each project to
// .cache/projects/<name>, installs the tarballs and its own dependencies from the registry, and runs its tests.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { fetchCli, releases } from './fetch-cli.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
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

const all = readdirSync(PROJECTS).filter((name) => readdirSync(join(PROJECTS, name)).includes('package.json'));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`example-projects: no project ${unknown.join(', ')}; choose from ${all.join(', ')}.`);
  process.exit(2);
}

// The project with rehearsals needs the packages of the command line, and the pinned release.
const tarballs = packAll(['sdk', 'testkit', 'rehearsal', 'inspector', 'cli']);
const chosen = wanted.length > 0 ? wanted : all;
if (chosen.includes('rehearsal')) await fetchCli(releases().pinned);
const lines = chosen.map((name) => {
  console.log(`\n== ${name}`);
  const folder = copyProject(name, tarballs);
  const installed = timed(() => run(['install', ...INSTALL], folder));
  const tested = timed(() => installed.ok && run(['test', '--silent'], folder));
  if (!tested.ok) process.exitCode = 1;
  return `${tested.ok ? 'ok    ' : 'failed'} ${name.padEnd(10)} install ${installed.seconds} s, tests ${tested.seconds} s`;
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
 * A fresh copy of a project whose dependencies on our packages are the tarballs.
 * @param {string} name
 * @param {ReadonlyMap<string, string>} tarballs
 */
function copyProject(name, tarballs) {
  const folder = join(WORK, name);
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(PROJECTS, name), folder, { recursive: true, filter: (path) => !path.includes('node_modules') });
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
  return folder;
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
