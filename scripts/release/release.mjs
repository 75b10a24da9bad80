// npm run do -- release <step>: releases all packages together, one step at a time. CONTRIBUTING.md lists the steps.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { bump } from './bump.mjs';
import { sectionOf } from './changelog.mjs';
import { publishedPackages, ROOT, releaseVersion } from './packages.mjs';
import { packAll, publishAll } from './publish.mjs';
import { sbomOf } from './sbom.mjs';

const USAGE = `usage: npm run do -- release <step>

  bump <version> [--drop-in <version>]   give all packages the version
  check                                  check versions, changelog and work tree
  notes                                  print the section of the changelog
  tag [--yes]                            make the tag v<version>
  pack <folder>                          pack the built packages
  sbom <file>                            write the bill of materials of the built packages, in SPDX
  publish [--yes] [--provenance] [--registry <url>] [--tag <name>]
                                         publish the built packages, each after those it needs

Without --yes, tag and publish only show what they would do.`;

try {
  main(process.argv.slice(2));
} catch (error) {
  console.error(`release: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}

/** @param {string[]} args */
function main(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      yes: { type: 'boolean', default: false },
      provenance: { type: 'boolean', default: false },
      registry: { type: 'string' },
      tag: { type: 'string', default: 'latest' },
      'drop-in': { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const [step, argument] = positionals;
  if (step === 'bump' && argument !== undefined) return bump(argument, values['drop-in']);
  if (step === 'check') return check(true);
  if (step === 'notes') return console.log(section().notes);
  if (step === 'tag') return tag(values.yes);
  if (step === 'pack' && argument !== undefined) {
    for (const { file } of packAll(publishedPackages(), resolve(argument))) console.log(file);
    return;
  }
  if (step === 'sbom' && argument !== undefined) {
    return withTarballs((tarballs, version) => writeFileSync(argument, sbomOf(tarballs, version)));
  }
  if (step === 'publish') return publish(values);
  console.log(USAGE);
  process.exitCode = values.help ? 0 : 2;
}

/**
 * Throws if the release is not ready. Steps that change nothing outside only report it.
 * @param {boolean} strict
 */
function check(strict) {
  const version = releaseVersion(publishedPackages());
  const problems = [];
  if (section().released === undefined) problems.push(`CHANGELOG.md: the section of ${version} has no date`);
  if (git('status', '--porcelain') !== '') problems.push('the work tree has changes');
  if (problems.length === 0) return console.log(`${version} is ready`);
  if (strict) throw new Error(`${version} is not ready: ${problems.join('; ')}.`);
  console.log(`Not ready: ${problems.join('; ')}.`);
}

function section() {
  return sectionOf(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), releaseVersion(publishedPackages()));
}

/** @param {boolean} yes */
function tag(yes) {
  check(yes);
  const name = `v${releaseVersion(publishedPackages())}`;
  if (git('tag', '--list', name) !== '') throw new Error(`There is a tag ${name} already.`);
  if (yes) git('tag', '--annotate', name, '--message', `Coxswain ${name.slice(1)}`);
  console.log(yes ? `made the tag ${name}; push it with: git push origin ${name}` : `would make the tag ${name}`);
}

/** @param {{ yes: boolean, provenance: boolean, registry?: string, tag: string }} options */
function publish({ yes, provenance, registry, tag }) {
  check(yes);
  const args = ['--tag', tag, ...(provenance ? ['--provenance'] : [])];
  withTarballs((tarballs) => publishAll(tarballs, { dryRun: !yes, registry, args }));
}

/**
 * Packs the packages into a temporary folder.
 * @param {(tarballs: ReturnType<typeof packAll>, version: string) => void} use
 */
function withTarballs(use) {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-release-'));
  try {
    const packages = publishedPackages();
    use(packAll(packages, folder), releaseVersion(packages));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {readonly string[]} args */
function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args[0]} failed: ${stderr}`);
  return stdout.trim();
}
