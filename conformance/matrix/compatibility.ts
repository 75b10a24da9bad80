import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compareVersions } from '@coxswain/shared/version';
import { features } from './all-probes.ts';
import type { Group, Verdict } from './probe.ts';
import type { ReleaseRun } from './run-release.ts';
import type { Began } from './search.ts';
import type { SuiteCounts } from './suite.ts';

/** docs/compatibility.json: the measurements, and the release that introduced each feature. */
export interface Compatibility {
  /** The newest release that was published when the searches were made. */
  newest: string;
  features: FeatureRecord[];
  releases: ReleaseRecord[];
}

/** One feature, and the first release that has it; undefined if it was not searched for. */
export interface FeatureRecord extends Partial<Began> {
  readonly id: string;
  readonly group: Group;
  readonly title: string;
}

/** One release, and its verdict on each feature. */
export interface ReleaseRecord {
  readonly version: string;
  /** How it is distributed: one file for Node, or a separate program. */
  readonly kind: 'cli.js' | 'native';
  readonly nonJsonLines: number;
  /** By feature: `yes`, `no: why`, `differs: how`, or `needs 2.1.0` if the SDK refuses it. */
  readonly verdicts: Readonly<Record<string, string>>;
  /** How the vitest suite, written for the tested releases, ended on this one. */
  readonly suite?: SuiteCounts;
}

const FILE = fileURLToPath(new URL('../../docs/compatibility.json', import.meta.url));

/** The current records; the features are always those with probes. */
export function readCompatibility(): Compatibility {
  const written = read();
  const known = new Map(written.features.map((feature) => [feature.id, feature]));
  const current = features.map(({ id, group, title }): FeatureRecord => {
    const { since, lackedBy } = known.get(id) ?? {};
    return { id, group, title, ...(since && { since }), ...(lackedBy && { lackedBy }) };
  });
  return { ...written, features: current };
}

/** Writes it to the file; `npm run docs` renders docs/compatibility.md from it. */
export function writeCompatibility(compatibility: Compatibility): void {
  const releases = compatibility.releases.toSorted((a, b) => compareVersions(a.version, b.version));
  writeFileSync(FILE, `${JSON.stringify({ ...compatibility, releases }, undefined, 2)}\n`);
}

/** Replaces the results of an earlier run of the release with those of this one. */
export function noteRelease(compatibility: Compatibility, record: ReleaseRecord): void {
  const earlier = compatibility.releases.find(({ version }) => version === record.version);
  const others = compatibility.releases.filter(({ version }) => version !== record.version);
  const known: Readonly<Record<string, string>> = { ...earlier?.verdicts, ...record.verdicts };
  const ids = features.map(({ id }) => id).filter((id) => Object.hasOwn(known, id));
  const verdicts = Object.fromEntries(ids.map((id) => [id, known[id] ?? '']));
  const suite = record.suite ?? earlier?.suite;
  const isWhole = ids.every((id) => Object.hasOwn(record.verdicts, id));
  const nonJsonLines = Math.max(record.nonJsonLines, isWhole ? 0 : (earlier?.nonJsonLines ?? 0));
  compatibility.releases = [...others, { ...record, nonJsonLines, verdicts, ...(suite && { suite }) }];
}

/** Records where features were introduced. */
export function noteSearch(
  compatibility: Compatibility,
  newest: string,
  began: ReadonlyMap<string, Began | undefined>,
): void {
  compatibility.newest = newest;
  compatibility.features = compatibility.features.map((feature) => {
    if (!began.has(feature.id)) return feature;
    const { since: _, lackedBy: __, ...rest } = feature;
    return { ...rest, ...began.get(feature.id) };
  });
}

/** The verdicts of a run in the format of the file. */
export function wordsOf({ verdicts, refusals }: ReleaseRun): Record<string, string> {
  const word = (id: string, verdict: Verdict): string => {
    const needed = refusals.get(id);
    if (needed !== undefined) return `needs ${needed}`;
    return 'note' in verdict ? `${verdict.verdict}: ${verdict.note}` : verdict.verdict;
  };
  const ids = features.map(({ id }) => id);
  return Object.fromEntries(
    ids.flatMap((id) => {
      const verdict = verdicts.get(id);
      return verdict === undefined ? [] : [[id, word(id, verdict)]];
    }),
  );
}

/** Differences between a release and the records, to be examined. */
export function surprisesOf(
  { version, nonJsonLines, verdicts }: ReleaseRecord,
  { features: known }: Compatibility,
): string[] {
  const differences = known.flatMap(({ id, since }) => {
    const word = verdicts[id];
    if (word === undefined || since === undefined) return [];
    const isThere = compareVersions(version, since) >= 0;
    const works = word === 'yes' || word.startsWith('differs');
    if (isThere === works) return [];
    return [`${version}: ${id} ${works ? 'works' : 'does not work'}, but began with ${since} (${word})`];
  });
  return nonJsonLines === 0
    ? differences
    : [`${version}: ${nonJsonLines} lines on stdout were not JSON`, ...differences];
}

function read(): Compatibility {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8'));
  } catch {
    return { newest: '', features: [], releases: [] };
  }
}
