import { parseArgs } from 'node:util';
import { releases as chosen, fetchCli } from '../../scripts/fetch/cli.mjs';
import { features } from './all-probes.ts';
import {
  noteRelease,
  noteSearch,
  type ReleaseRecord,
  readCompatibility,
  surprisesOf,
  wordsOf,
  writeCompatibility,
} from './compatibility.ts';
import { findDrift } from './drift.ts';
import { forgetMeasured, readMeasured } from './measured.ts';
import { publishedReleases } from './published.ts';
import { runRelease } from './run-release.ts';
import { searchReleases } from './search.ts';
import { runSuite } from './suite.ts';
import { printTable } from './table.ts';

const USAGE = `npm run do -- conformance <what>
  --cli <version>,…       runs every probe on these releases, prints a table and writes docs/compatibility.json
  --table                 the same for the releases of the table in the documentation
  --only set_model,hook:Stop
                          with one of the two: only these probes; the records of the others stay
  --suite                 with one of the two: also runs the vitest suite on each
  --bisect set_model,effort
                          finds the first release of these features ("all": of every one); continues an interrupted search
  --fresh                 with --bisect: forgets what was measured on this machine
  --newest                lists unknown features of the newest release; exits with 1 if it has any
  --list                  lists the features`;

/** The command; returns its exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      cli: { type: 'string', multiple: true, default: [] },
      table: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      suite: { type: 'boolean', default: false },
      bisect: { type: 'string', multiple: true, default: [] },
      fresh: { type: 'boolean', default: false },
      newest: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
    },
  });
  const words = (given: readonly string[]): string[] => given.flatMap((text) => text.split(',')).filter(Boolean);
  const versions = values.table
    ? chosen().table
    : words([...values.cli, ...(values.cli.length > 0 ? positionals : [])]);
  if (values.list) {
    for (const { id, group, title } of features) console.log(`${id.padEnd(32)} ${group.padEnd(17)} ${title}`);
    return 0;
  }
  if (values.newest) return newest();
  if (values.bisect.length > 0) return bisect(words([...values.bisect, ...positionals]), values.fresh);
  if (versions.length > 0) return matrix(versions, words(values.only), values.suite);
  console.error(USAGE);
  return 2;
}

async function matrix(versions: readonly string[], only: readonly string[], withSuite: boolean): Promise<number> {
  const surprises: string[] = [];
  const records: ReleaseRecord[] = [];
  for (const [index, version] of versions.entries()) {
    const startedAt = Date.now();
    const cli = await fetchCli(version, { log: progress });
    const onProgress = (done: number, of: number): void =>
      progress(
        `${version} (${index + 1} of ${versions.length}): ${done} of ${of} probes, ${secondsSince(startedAt)} s`,
      );
    const run = await runRelease(cli, { onProgress, only: only.length > 0 ? new Set(only) : undefined });
    if (withSuite) progress(`${version}: the vitest suite …`);
    const record: ReleaseRecord = {
      version,
      kind: cli.endsWith('.js') ? 'cli.js' : 'native',
      nonJsonLines: [...run.nonJson.values()].flat().length,
      verdicts: wordsOf(run),
      ...(withSuite ? { suite: await runSuite(version) } : {}),
    };
    records.push(record);
    // Read again each time: other runs may have changed it.
    const compatibility = readCompatibility();
    noteRelease(compatibility, record);
    writeCompatibility(compatibility);
    const bad = [...run.nonJson].map(([id, lines]) => `${version}: ${id}: ${lines.join(' · ')}`);
    surprises.push(...surprisesOf(record, compatibility), ...bad);
    progress(`${version}: done in ${secondsSince(startedAt)} s\n`);
  }
  printTable(records);
  for (const surprise of surprises) console.log(surprise);
  console.log('Wrote docs/compatibility.json; npm run docs renders docs/compatibility.md from it.');
  return surprises.length === 0 ? 0 : 1;
}

async function bisect(ids: readonly string[], fresh: boolean): Promise<number> {
  const isKnown = (id: string): boolean => features.some((feature) => feature.id === id);
  const named = ids.map((id) => (isKnown(`--${id}`) ? `--${id}` : id));
  const wanted = ids.includes('all') ? features.map(({ id }) => id) : named;
  const unknown = wanted.filter((id) => !isKnown(id));
  if (unknown.length > 0) {
    console.error(`Unknown feature ${unknown.join(', ')}: --list shows them all.`);
    return 2;
  }
  const startedAt = Date.now();
  const releases = await publishedReleases();
  if (fresh) forgetMeasured(wanted);
  const measured = readMeasured();
  const began = await searchReleases(wanted, releases, measured, (text) =>
    progress(`${secondsSince(startedAt)} s  ${text}\n`),
  );
  for (const [id, found] of began) {
    const before = found?.lackedBy === undefined ? 'the oldest release considered' : `${found.lackedBy} lacks it`;
    console.log(found === undefined ? `${id}: no release has it` : `${id}: ${found.since} (${before})`);
  }
  const compatibility = readCompatibility();
  noteSearch(compatibility, releases.at(-1) ?? '', began);
  writeCompatibility(compatibility);
  return 0;
}

async function newest(): Promise<number> {
  const version = (await publishedReleases()).at(-1) ?? '';
  const drift = await findDrift(await fetchCli(version, { log: progress }));
  const news = Object.entries(drift);
  for (const [kind, names] of news) console.log(`${version}: new ${kind}: ${names.join(', ')}`);
  if (news.length === 0) console.log(`${version}: nothing new.`);
  return news.length === 0 ? 0 : 1;
}

function secondsSince(startedAt: number): number {
  return Math.round((Date.now() - startedAt) / 1_000);
}

/** On a terminal the last line is overwritten; elsewhere only whole steps are shown. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
  else if (text.endsWith('\n') || / (\d+) of \1 probes/.test(text) || /0 of \d+ probes/.test(text)) {
    process.stderr.write(`${text.trimEnd()}\n`);
  }
}
