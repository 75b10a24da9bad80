// The measured part of docs/reliability.md, rendered from docs/reliability.json.
import { table } from '../docs/markdown.mjs';
import { besideTheClosedSdk } from './beside.mjs';

/**
 * @typedef {{ date: string, machine: string, commit: string }} Facts
 * @typedef {import('../../packages/sdk/test/soak/repeat.ts').Course & Facts} Course
 * @typedef {import('../../packages/sdk/test/soak/mixed.ts').MixedCourse & Facts} Mixture
 * @typedef {{ passed: number, failed: number, skipped: number, ms: number } & Facts} Suite
 * @typedef {{ seed: number, frames: number, bytes: number, ms: number, failure?: { message: string } }} FuzzRun
 * @typedef {{
 *   faults?: { groups: import('./read.mjs').FaultGroup[] } & Facts,
 *   'host-death'?: { cells: import('./read.mjs').DeathCell[] } & Facts,
 *   'host-death-real'?: { deaths: import('./read.mjs').RealDeath[] } & Facts,
 *   fuzz?: { runs: FuzzRun[] } & Facts,
 *   soak?: Course[],
 *   mixed?: Mixture,
 *   walk?: import('../../conformance/walk/main.ts').WalkRun & Facts,
 *   beside?: import('./beside.mjs').Beside,
 *   runtimes?: Record<string, { version: string | null, unavailable?: string, unit?: Suite, real?: Suite, smoke?: Suite }>,
 * }} Data
 */

/**
 * @param {Data} data
 * @returns {string}
 */
export function renderMeasured(data) {
  return [
    '## Measured',
    '',
    'Each table shows the results of one run, including failures. `npm run do -- reliability` writes them.',
    ...section('Faults', data.faults, faults, 'npm run do -- reliability --run faults'),
    ...section('Beside the official SDK', data.beside, besideTheClosedSdk, 'npm run do -- bench:faults'),
    ...section('Fuzzing', data.fuzz, fuzz, 'npm run do -- reliability --run fuzz'),
    ...section('Many runs, one after the other', data.soak, soak, 'npm run do -- soak'),
    ...section('Mixed load with random kills', data.mixed, mixed, 'npm run do -- soak --minutes 30'),
    ...section('Random walks on the real CLI', data.walk, walk, 'npm run do -- walk'),
    ...section('When the host dies', data['host-death'], hostDeath, 'npm run do -- reliability --run host-death'),
    ...section(
      'When the host dies, on the real CLI',
      data['host-death-real'],
      realDeaths,
      'npm run do -- reliability --run host-death-real',
    ),
    ...section('Runtimes', data.runtimes, runtimes, 'npm run do -- test:runtimes'),
  ].join('\n');
}

/**
 * @template T
 * @param {string} title
 * @param {T | undefined} part
 * @param {(part: T) => string[]} render
 * @param {string} command
 */
function section(title, part, render, command) {
  const lines = part === undefined ? [`No result yet: \`${command}\`.`] : render(part);
  return ['', `### ${title}`, '', ...lines];
}

/** @param {NonNullable<Data['faults']>} part */
function faults({ groups, ...facts }) {
  const rows = groups.map(({ group, tests, passed, ms }) => [
    group,
    String(tests),
    verdict(passed, tests),
    seconds(ms),
  ]);
  const sum = (/** @type {'tests' | 'passed' | 'ms'} */ field) =>
    groups.reduce((total, group) => total + group[field], 0);
  rows.push(['all', String(sum('tests')), verdict(sum('passed'), sum('tests')), seconds(sum('ms'))]);
  return [
    'In each scenario the CLI misbehaves in one way, in a query or a session, and the test checks the exact outcome.',
    '',
    table(['group', 'scenarios', 'passed', 'time'], rows),
    '',
    runNote(facts),
  ];
}

/** @param {NonNullable<Data['fuzz']>} part */
function fuzz({ runs, ...facts }) {
  const rows = runs.map(({ seed, frames, bytes, ms, failure }) => [
    String(seed),
    thousands(frames),
    `${(bytes / 1e6).toFixed(0)} MB`,
    seconds(ms),
    failure === undefined ? 'none' : failure.message,
  ]);
  return [
    'Random frames, cut anywhere, pass through all code between the pipe and a session; each result is compared with the generated frame.',
    '',
    table(['seed', 'frames', 'bytes', 'time', 'differences'], rows),
    '',
    runNote(facts),
  ];
}

/** @param {Course[]} courses */
function soak(courses) {
  const rows = courses.map((course) => {
    const { name, count, ms, before, after, heap, heapPerRun, problems } = course;
    return [
      `${thousands(count)} ${name}`,
      seconds(ms),
      change(before.processes, after.processes),
      change(total(before.resources), total(after.resources)),
      change(total(before.listeners), total(after.listeners)),
      change(before.descriptors, after.descriptors),
      change(before.tempFiles, after.tempFiles),
      `${change(megabytes(heap[0]), megabytes(heap.at(-1)))} MB, ${Math.round(heapPerRun)} B per run`,
      problems.length === 0 ? 'nothing' : problems.join('; '),
    ];
  });
  const head = [
    'runs',
    'time',
    'processes',
    'handles',
    'listeners',
    'descriptors',
    'temporary files',
    'heap',
    'growth',
  ];
  const [last] = courses.slice(-1);
  return [
    'Queries end in six ways (to the end, left early, aborted, crashed, with a hook, flooded), sessions in four. Before → after; ' +
      'the heap is measured after garbage collection, and per run over the second half.',
    '',
    table(head, rows),
    '',
    last === undefined ? '' : runNote(last),
  ];
}

/** @param {NonNullable<Data['walk']>} run */
function walk(run) {
  const { firstSeed, lastSeed, releases, kinds, walks, steps, prompts, answered, failures } = run;
  return [
    `Seeds ${firstSeed} to ${lastSeed} on ${releases.join(', ')}, as ${kinds.join(', ')}: ${thousands(walks)} walks, ` +
      `${thousands(steps)} steps, ${thousands(prompts)} prompts, ${thousands(answered)} of them answered; the others were interrupted, ` +
      'aborted, timed out or killed. Walks in which an answer went to a wrong prompt, a turn ran in a wrong mode, something hung or ' +
      `a process remained: ${failures === 0 ? 'none' : failures}.`,
    '',
    runNote(run),
  ];
}

/** @param {Mixture} course */
function mixed(course) {
  const { ms, operations, kills, seed, outcomes, problems } = course;
  const rows = Object.entries(outcomes).map(([name, ends]) => [
    name,
    thousands(total(ends)),
    Object.entries(ends)
      .sort(([, a], [, b]) => b - a)
      .map(([end, count]) => `\`${end}\` ${count}`)
      .join(', '),
  ]);
  return [
    `${(ms / 60_000).toFixed(1)} minutes, ${thousands(operations)} operations, ${thousands(kills)} CLIs killed, seed ${seed}. ` +
      `Operations that hung, ended with an untyped error, or left something behind: ${problems.length === 0 ? 'none' : problems.join('; ')}.`,
    '',
    'An operation is counted by its first failure. Half of the CLIs are killed at a random moment, ' +
      'many before their handshake: `cli-exited-during-init`. A restarting session is killed more often than it may be restarted, ' +
      'and one of the five jobs in each pool is always cancelled.',
    '',
    table(['operation', 'times', 'how it ended'], rows),
    '',
    runNote(course),
  ];
}

/** @param {NonNullable<Data['host-death']>} part */
function hostDeath({ cells, ...facts }) {
  const deaths = [...new Set(cells.map(({ how }) => how))];
  const places = [...new Set(cells.map(({ kind, state }) => `${kind}, ${state}`))];
  const rows = places.map((place) => [
    place,
    ...deaths.map((how) => {
      const cell = cells.find(
        (candidate) => candidate.how === how && `${candidate.kind}, ${candidate.state}` === place,
      );
      if (cell === undefined) return '–';
      return cell.passed ? `nothing, ${cell.goneAfterMs} ms` : '**a process remains**';
    }),
  ]);
  return [
    'Whether a process of the CLI or its tools remains, and how many milliseconds after the end of the host the last one had exited.',
    '',
    table(['the run is …', ...deaths], rows),
    '',
    runNote(facts),
  ];
}

/** @param {NonNullable<Data['host-death-real']>} part */
function realDeaths({ deaths, ...facts }) {
  const rows = deaths.map(({ what, title, passed }) => [`${what} ${title}`, passed ? 'passed' : '**failed**']);
  return [table(['', ''], rows), '', runNote(facts)];
}

/** @param {NonNullable<Data['runtimes']>} part */
function runtimes(part) {
  const rows = Object.entries(part)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([name, { version, unavailable, unit, real, smoke }]) => [
      `${name.split('-')[0]} ${version ?? ''}`.trim(),
      unavailable ?? suite(unit, name),
      unavailable === undefined ? suite(real, name) : '',
      unavailable === undefined ? suite(smoke, name) : '',
    ]);
  const facts = Object.values(part)
    .flatMap(({ unit, real, smoke }) => [unit, real, smoke])
    .filter((run) => run !== undefined);
  const [latest] = facts.sort((a, b) => b.date.localeCompare(a.date));
  return [
    table(['runtime', 'unit suite', 'suite on the real CLI', 'smoke suite'], rows),
    '',
    latest === undefined ? '' : runNote(latest),
  ];
}

/**
 * Only Node runs the whole suite.
 * @param {Suite | undefined} run
 * @param {string} runtime
 */
function suite(run, runtime) {
  if (run === undefined) return runtime.startsWith('node-') ? 'no result' : '–';
  const { passed, failed, skipped, ms } = run;
  const rest = [failed > 0 ? `**${failed} failed**` : '', skipped > 0 ? `${skipped} skipped` : ''].filter(Boolean);
  return [`${thousands(passed)} passed`, ...rest, seconds(ms)].join(', ');
}

/** @param {Facts} facts */
function runNote({ date, machine, commit }) {
  return `${date.slice(0, 10)}, ${machine}, at ${commit}.`;
}

/**
 * @param {number} passed
 * @param {number} tests
 */
function verdict(passed, tests) {
  return passed === tests ? String(passed) : `**${passed}**`;
}

/**
 * @param {number | string} before
 * @param {number | string} after
 */
function change(before, after) {
  return `${before} → ${after}`;
}

/** @param {Readonly<Record<string, number>>} counts */
function total(counts) {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** @param {number | undefined} bytes */
function megabytes(bytes = 0) {
  return (bytes / 1e6).toFixed(1);
}

/** @param {number} ms */
function seconds(ms) {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}

/** @param {number} count */
function thousands(count) {
  return count.toLocaleString('en');
}
