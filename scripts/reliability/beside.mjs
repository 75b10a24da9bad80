// The section of docs/reliability.md that compares Coxswain with the closed official SDK, rendered from bench/faults.json.
import { table } from '../docs/markdown.mjs';

/**
 * @typedef {{ kind: string, words: string, ms?: number, memoryMB: number, left: number, spills?: boolean, goesOn?: boolean, timed?: boolean }} Outcome
 * @typedef {{ id: string, entry: 'query' | 'session', limited: boolean, coxswain: Outcome, official: Outcome }} Run
 * @typedef {{
 *   date: string,
 *   load: number,
 *   machine: { cpu: string, cores: number, memoryGb: number, system: string },
 *   versions: { node: string, commit: string },
 *   official: string,
 *   boundMs: number,
 *   scenarios: number,
 *   played: number,
 *   leftOut: { id: string, why: string }[],
 *   kinds: Record<string, string>,
 *   runs: Run[],
 * }} Beside
 */

/** Kinds in which the user receives the answer of the agent. */
const ANSWERS = ['answered', 'unreported'];

/**
 * @param {Beside} part
 * @returns {string[]}
 */
export function besideTheClosedSdk(part) {
  const { runs, played, scenarios, official, boundMs, leftOut, date, machine, versions, load } = part;
  const { cpu, cores, memoryGb, system } = machine;
  const limited = runs.filter((run) => run.limited);
  return [
    `${played} of the ${scenarios} fault scenarios, as ${runs.length} runs on Coxswain and on the official SDK ${official}: the ` +
      'same misbehaving CLI, each run in a fresh process, through the documented API only; the code of the official SDK is ' +
      `not read. A run that takes more than ${boundMs / 1_000} s counts as hung. Where Coxswain has a timeout option, the official SDK gets a timer and an ` +
      '`AbortController`. Where Coxswain has a limit and the official SDK has no option for it ' +
      `(${namesOf(limited)}), the limit is set for Coxswain only.`,
    '',
    counts(part),
    '',
    'The official SDK has no warnings, so it does not report the faults it survives. That is harmless after an unknown message, ' +
      'but not after a lost line or a guard that threw. Each CLI writes its secrets to stderr, which ' +
      'both SDKs quote in their errors; Coxswain removes the secrets. A run that continues without a handshake has no ' +
      'hooks, because the handshake registers them.',
    '',
    'Where the official SDK does better:',
    '',
    ...better(runs),
    '',
    'All differences:',
    '',
    differences(runs),
    '',
    `Left out: ${reasons(leftOut)}.`,
    '',
    `${date.slice(0, 10)}, Node ${versions.node}, ${cores} × ${cpu}, ${memoryGb} GiB, ${system}, load ${load.toFixed(1)}, at ` +
      `${versions.commit}. \`npm run do -- bench:faults\` runs it again; every run is in [bench/faults.json](../bench/faults.json).`,
  ];
}

/** @param {Beside} part */
function counts({ kinds, runs }) {
  /** @param {(outcome: Outcome) => boolean | undefined} which */
  const both = (which) =>
    [runs.filter(({ coxswain }) => which(coxswain)), runs.filter((run) => which(run.official))].map((found) =>
      String(found.length),
    );
  const most = (/** @type {'coxswain' | 'official'} */ who) =>
    `${Math.max(...runs.map((run) => run[who].memoryMB))} MB`;
  return table(
    ['of the runs', 'Coxswain', 'official'],
    [
      ...Object.entries(kinds).map(([kind, words]) => [words, ...both((outcome) => outcome.kind === kind)]),
      ['processes left behind', ...both(({ left }) => left > 0)],
      ['the API key or a password in the error', ...both(({ spills }) => spills)],
      ['a session that answers the next prompt', ...both(({ goesOn }) => goesOn)],
      ['peak memory of a run', most('coxswain'), most('official')],
    ],
  );
}

/** @param {readonly Run[]} runs */
function better(runs) {
  const answered = runs.filter(
    ({ coxswain, official }) => ANSWERS.includes(official.kind) && !official.timed && !ANSWERS.includes(coxswain.kind),
  );
  const survived = runs.filter(({ coxswain, official }) => official.goesOn && !coxswain.goesOn);
  const rows = [
    answered.length > 0 && `- The official SDK has a result where Coxswain gives up: ${namesOf(answered)}.`,
    survived.length > 0 && `- Its session continues where that of Coxswain has ended: ${namesOf(survived)}.`,
  ].filter((row) => row !== false);
  return rows.length > 0 ? rows : ['- In no run does the official SDK have a result that Coxswain lacks.'];
}

/** @param {readonly Run[]} runs */
function differences(runs) {
  /** @type {Map<string, Run[]>} */
  const groups = new Map();
  for (const run of runs) {
    if (run.coxswain.kind === run.official.kind && alike(run)) continue;
    const key = `${general(run.coxswain)} | ${general(run.official)}`;
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  const rows = [...groups.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [[namesOf(group), general(first.coxswain), general(first.official)]];
  });
  return table(['scenarios', 'Coxswain', 'official'], rows);
}

/** @param {Run} run */
function alike({ coxswain, official }) {
  return general(coxswain) === general(official) || (coxswain.kind === 'typed' && official.left === 0);
}

/**
 * Without the parts that differ from scenario to scenario.
 * @param {Outcome} outcome
 */
function general({ words }) {
  return words
    .replace(/, reported: [^;]*/, ', reported')
    .replace(/^(`\w+`): .*?(?=; (?:\*\*|secrets|tool|also)|$)/, '$1');
}

/** @param {readonly Run[]} runs */
function namesOf(runs) {
  const ids = [...new Set(runs.map(({ id }) => id))];
  return ids
    .map((id) => {
      const entries = runs.filter((run) => run.id === id).map(({ entry }) => entry);
      return entries.length === 1 ? `\`${id}\` (${entries[0]})` : `\`${id}\``;
    })
    .join(', ');
}

/** @param {Beside['leftOut']} leftOut */
function reasons(leftOut) {
  const whys = [...new Set(leftOut.map(({ why }) => why))];
  return whys
    .map((why) => {
      const ids = leftOut.filter((left) => left.why === why).map(({ id }) => `\`${id}\``);
      return `${ids.join(', ')} (${why})`;
    })
    .join('; ');
}
