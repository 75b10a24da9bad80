// Extracts the results to keep from the reports of single runs.

/**
 * @typedef {{ ancestorTitles: string[], title: string, status: string, duration?: number, meta?: { goneAfterMs?: number } }} TestReport
 * @typedef {{ testResults: { name: string, assertionResults: TestReport[] }[] }} VitestReport
 * @typedef {{ group: string, tests: number, passed: number, ms: number }} FaultGroup
 * @typedef {{ how: string, kind: string, state: string, passed: boolean, goneAfterMs: number | null }} DeathCell
 * @typedef {{ what: string, title: string, passed: boolean }} RealDeath
 */

/**
 * The tests below each `describe('fault: …')`.
 * @param {VitestReport} report
 * @returns {FaultGroup[]}
 */
export function faultGroups(report) {
  /** @type {Map<string, FaultGroup>} */
  const groups = new Map();
  for (const test of testsOf(report)) {
    const group = test.ancestorTitles.find((title) => title.startsWith('fault: '))?.slice('fault: '.length);
    if (group === undefined) continue;
    const { tests, passed, ms } = groups.get(group) ?? { tests: 0, passed: 0, ms: 0 };
    groups.set(group, {
      group,
      tests: tests + 1,
      passed: passed + (test.status === 'passed' ? 1 : 0),
      ms: ms + Math.round(test.duration ?? 0),
    });
  }
  return [...groups.values()];
}

/**
 * One cell for each cause of death, kind of run and state, from the titles in host-death-matrix.test.ts.
 * @param {VitestReport} report
 * @returns {DeathCell[]}
 */
export function hostDeathCells(report) {
  const cells = testsOf(report).flatMap((test) => {
    const how = /a host that dies by (.+)$/.exec(test.ancestorTitles.join(' '))?.[1];
    const [, kind, state] = /^leaves no process: (session|query), (.+)$/.exec(test.title) ?? [];
    if (how === undefined || kind === undefined || state === undefined) return [];
    const ms = test.meta?.goneAfterMs;
    return [
      { how, kind, state, passed: test.status === 'passed', goneAfterMs: ms === undefined ? null : Math.round(ms) },
    ];
  });
  if (cells.length === 0)
    throw new Error('No test of the report is about the end of a host: read.mjs reads their titles.');
  return cells;
}

/**
 * @param {VitestReport} report
 * @returns {RealDeath[]}
 */
export function realDeaths(report) {
  return testsOf(report).map((test) => ({
    what: test.ancestorTitles.join(' '),
    title: test.title.replace(/^\[[^\]]*\] /, ''),
    passed: test.status === 'passed',
  }));
}

/**
 * Without the single heap samples.
 * @param {Record<string, Record<string, unknown>>} soak
 */
export function soakCourses(soak) {
  return Object.entries(soak).flatMap(([name, course]) => (name === 'mixed' ? [] : [course]));
}

/** @param {Record<string, object>} soak */
export function soakMixture(soak) {
  return soak.mixed;
}

/** @param {VitestReport} report */
function testsOf(report) {
  return report.testResults.flatMap((file) => file.assertionResults);
}
