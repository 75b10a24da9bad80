import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DROP_IN } from './packages.mjs';
import { packAll } from './publish.mjs';
import { withVersions } from './versions.mjs';

/** @import { Package } from './packages.mjs' */

/** The version under which the rehearsal publishes today's packages a first time. */
export const PREVIOUS = '0.0.99';

/**
 * The packed packages once more, as the release before: with other versions, and otherwise the same.
 * @param {readonly { name: string, version: string, file: string }[]} tarballs
 * @param {string} target
 */
export function asPrevious(tarballs, target) {
  const versions = new Map(tarballs.map(({ name }) => [name, name === DROP_IN ? '0.3.1' : PREVIOUS]));
  /** @type {Package[]} */
  const packages = tarballs.map(({ file }, index) => {
    const parent = join(target, String(index));
    mkdirSync(parent, { recursive: true });
    const { status, stderr } = spawnSync('tar', ['-xzf', file, '-C', parent], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`tar could not unpack ${file}: ${stderr}`);
    const folder = join(parent, 'package');
    const manifest = withVersions(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')), versions);
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
    return { folder, manifest };
  });
  return packAll(packages, join(target, 'tarballs'));
}
