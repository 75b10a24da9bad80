import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './packages.mjs';
import { PREVIOUS } from './previous.mjs';

/**
 * @import { Journal } from './journal.mjs'
 * @import { Manager } from './managers.mjs'
 * @typedef {{ journal: Journal, manager: Manager, work: string, env: NodeJS.ProcessEnv, version: string }} Place
 */

/** The quick start's packages of ours, and the tools that it names. */
const OURS = ['coxswain'];
const OURS_DEV = ['@coxswain/testkit', '@coxswain/cli'];
const TOOLS = ['tsx@4.23.15', 'typescript@6.0.3', '@types/node@20.19.43'];

/** The compiler options that the quick start names. */
const TSCONFIG = {
  module: 'nodenext',
  types: ['node'],
  allowImportingTsExtensions: true,
  noEmit: true,
  skipLibCheck: true,
};

/**
 * The environment of a stranger: a home of its own, and the registry on loopback.
 * @param {string} work
 * @param {string} registry
 * @returns {NodeJS.ProcessEnv}
 */
export function strangerEnv(work, registry) {
  const { PATH, NODE_EXTRA_CA_CERTS } = process.env;
  return {
    PATH,
    NODE_EXTRA_CA_CERTS,
    HOME: join(work, 'home'),
    TMPDIR: work,
    npm_config_cache: join(work, 'npm-cache'),
    npm_config_userconfig: join(work, 'home/.npmrc'),
    npm_config_update_notifier: 'false',
    npm_config_registry: registry,
    YARN_NPM_REGISTRY_SERVER: registry,
    YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
    YARN_ENABLE_TELEMETRY: '0',
    // Both avoid releases of the last days; here they were made a minute ago.
    YARN_NPM_MINIMAL_AGE_GATE: '0',
    pnpm_config_minimum_release_age: '0',
    YARN_CACHE_FOLDER: join(work, 'yarn-cache'),
    COXSWAIN_RELEASES: join(ROOT, '.cache/cli'),
  };
}

/**
 * From nothing to a tested agent: `npm create coxswain`, install, test, type-check, rehearse.
 * @param {Place} place
 */
export async function strangerProject({ journal, manager, work, env, version }) {
  const parent = emptyFolder(join(work, manager.name));
  const folder = join(parent, 'my-agent');
  const at = { cwd: folder, env };
  const step = (/** @type {string} */ what, /** @type {string[]} */ args) =>
    journal.step(`${manager.name}: ${what}`, () => journal.command([...manager.bin, ...args], at));
  await journal.step(`${manager.name}: create`, () =>
    journal.command([...manager.bin, ...manager.create('my-agent')], { cwd: parent, env }),
  );
  if (!existsSync(folder)) return;
  if (manager.name === 'yarn-4') writeFileSync(join(folder, 'yarn.lock'), '');
  await step('install', manager.install);
  await step('test', [...manager.run, 'test']);
  await step('typecheck', [...manager.run, 'typecheck']);
  await step('rehearse', [...manager.run, 'rehearse']);
  await journal.step(`${manager.name}: the created project has ${version}`, () =>
    checkVersion(journal, manager, at, version),
  );
}

/**
 * The quick start on the release before, then on this one.
 * @param {Place} place
 */
export async function upgradedProject({ journal, manager, work, env, version }) {
  const folder = emptyFolder(join(work, manager.name, 'quick-start'));
  const at = { cwd: folder, env };
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'quick-start', private: true, type: 'module', scripts: SCRIPTS }),
  );
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: TSCONFIG }));
  if (manager.name === 'yarn-4') writeFileSync(join(folder, 'yarn.lock'), '');
  // Without it, pnpm refuses an install script of tsx, and fails.
  if (manager.name === 'pnpm') writeFileSync(join(folder, 'pnpm-workspace.yaml'), 'allowBuilds:\n  esbuild: false\n');
  for (const file of ['ask.ts', 'agent.ts', 'main.ts', 'agent.test.ts'])
    copyFileSync(join(ROOT, 'examples/quick-start', file), join(folder, file));

  for (const { release, tag } of [
    { release: PREVIOUS, tag: PREVIOUS },
    { release: version, tag: 'latest' },
  ]) {
    const step = (/** @type {string} */ what, /** @type {string[]} */ args) =>
      journal.step(`${manager.name}: ${what}, ${release}`, () => journal.command([...manager.bin, ...args], at));
    const named = (/** @type {readonly string[]} */ names) => names.map((name) => `${name}@${tag}`);
    await step('add', manager.add(named(OURS)));
    await step('add tools', manager.addDev([...named(OURS_DEV), ...TOOLS]));
    await journal.step(`${manager.name}: has ${release}`, () => checkVersion(journal, manager, at, release));
    for (const script of ['test', 'typecheck', 'demo']) await step(`quick start ${script}`, [...manager.run, script]);
  }
}

const SCRIPTS = {
  test: 'node --import tsx --test agent.test.ts',
  typecheck: 'tsc',
  demo: 'cox run --demo --no-input "Which test fails, and why?"',
  version:
    "node -e \"import('coxswain/cli').then(() => console.log(require('coxswain/package.json').version, require('@coxswain/testkit/package.json').version))\"",
};

/**
 * @param {Journal} journal
 * @param {Manager} manager
 * @param {{ cwd: string, env: NodeJS.ProcessEnv }} at
 * @param {string} version
 */
async function checkVersion(journal, manager, at, version) {
  const manifest = JSON.parse(readFileSync(join(at.cwd, 'package.json'), 'utf8'));
  if (manifest.scripts.version === undefined)
    writeFileSync(
      join(at.cwd, 'package.json'),
      JSON.stringify({ ...manifest, scripts: { ...manifest.scripts, version: SCRIPTS.version } }, null, 2),
    );
  const output = await journal.command([...manager.bin, ...manager.run, 'version'], at);
  if (!output.includes(`${version} ${version}`)) throw new Error(`Not ${version}: ${output.trim()}`);
}

/** @param {string} folder */
function emptyFolder(folder) {
  mkdirSync(folder, { recursive: true });
  return folder;
}
