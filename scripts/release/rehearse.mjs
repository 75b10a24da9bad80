// npm run do -- release:rehearse [--only npm,bun]: rehearses the release on a registry of its own on loopback. Publishes the built
// packages as the release before and as this one; then each package manager makes a project by name, and upgrades another one.
// Everything happens in a temporary folder; the log is .cache/release/rehearsal.log.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { fetchCli, releases } from '../fetch/cli.mjs';
import { Journal } from './journal.mjs';
import { managers } from './managers.mjs';
import { publishedPackages, ROOT, releaseVersion } from './packages.mjs';
import { asPrevious } from './previous.mjs';
import { packAll, publishAll } from './publish.mjs';
import { startRegistry } from './registry.mjs';
import { strangerEnv, strangerProject, upgradedProject } from './stranger.mjs';

const { values } = parseArgs({ options: { only: { type: 'string' }, keep: { type: 'boolean', default: false } } });
const wanted = values.only?.split(',');
const journal = new Journal(join(ROOT, '.cache/release/rehearsal.log'));
const work = mkdtempSync(join(tmpdir(), 'coxswain-rehearsal-'));
// The rehearsals of the new project run on a copy that is there already.
await fetchCli(releases().pinned);
const registry = await startRegistry(join(work, 'registry'));
try {
  const packages = publishedPackages();
  const env = strangerEnv(work, registry.url);
  mkdirSync(join(work, 'home'), { recursive: true });
  const { host } = new URL(registry.url);
  writeFileSync(join(work, 'home/.npmrc'), `registry=${registry.url}\n//${host}/:_authToken=rehearsal\n`);

  const tarballs = packAll(packages, join(work, 'tarballs'));
  const before = asPrevious(tarballs, join(work, 'previous'));
  const publish = { dryRun: false, registry: registry.url, env };
  await journal.step('publish the release before', () => publishAll(before, publish));
  await journal.step('publish this release', () => publishAll(tarballs, publish));
  await journal.step('publish this release again', () => publishAll(tarballs, publish));

  const version = releaseVersion(packages);
  for (const manager of managers().filter(({ name }) => wanted === undefined || wanted.includes(name))) {
    const place = { journal, manager, work, env, version };
    await strangerProject(place);
    await upgradedProject(place);
  }
} finally {
  await registry.stop();
  if (values.keep) console.log(`kept ${work}`);
  else rmSync(work, { recursive: true, force: true });
  process.exitCode = journal.finish() ? 0 : 1;
}
