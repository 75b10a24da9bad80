import {
  noteRelease,
  readCompatibility,
  surprisesOf,
  wordsOf,
  writeCompatibility,
} from '../../conformance/matrix/compatibility.ts';
import { runRelease } from '../../conformance/matrix/run-release.ts';
import { fetchCli } from '../fetch/cli.mjs';

/**
 * Measures every feature on the new release, and replaces the record of the old one.
 * @param {import('./steps.mjs').Followed} followed
 */
export async function matrix({ from, to, log }) {
  const run = await runRelease(await fetchCli(to.cli), {
    onProgress: (done, of) => done % 20 === 0 && log(`${done} of ${of} features`),
  });
  const verdicts = wordsOf(run);
  const record = {
    version: to.cli,
    kind: /** @type {const} */ ('native'),
    nonJsonLines: [...run.nonJson.values()].flat().length,
    verdicts,
  };
  const compatibility = readCompatibility();
  const before = compatibility.releases.find(({ version }) => version === from.cli)?.verdicts ?? {};
  noteRelease(compatibility, record);
  compatibility.releases = compatibility.releases.filter(({ version }) => version !== from.cli || from.cli === to.cli);
  compatibility.newest = to.cli;
  writeCompatibility(compatibility);
  return {
    features: Object.keys(verdicts).length,
    surprises: surprisesOf(record, compatibility),
    changed: changes(before, verdicts),
  };
}

/**
 * The features whose verdict has changed.
 * @param {Readonly<Record<string, string>>} before
 * @param {Readonly<Record<string, string>>} after
 * @returns {string[]}
 */
export function changes(before, after) {
  return Object.entries(after).flatMap(([id, word]) => {
    const earlier = before[id];
    return earlier === undefined || earlier === word ? [] : [`${id}: ${earlier} → ${word}`];
  });
}
