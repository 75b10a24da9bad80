// npm run do -- permissions: measures what the real CLI decides about the calls of the corpus, and writes measured.json and the test
// kit's table generated from it. With an argument, measures only new cases and those whose name contains it.
import process from 'node:process';
import { releases } from '../../scripts/fetch/cli.mjs';
import { type Case, type Decided, describeCall } from './case.ts';
import { writeTable } from './command-table.ts';
import { allCases } from './corpus/all-cases.ts';
import { decisionsOfReal } from './decisions.ts';
import { type MeasuredCase, readMeasured, writeMeasured } from './measured.ts';

const [wanted = ''] = process.argv.slice(2);
const { pinned, tested } = releases();
const others = tested.filter((release) => release !== pinned);
const before = wanted === '' ? {} : readMeasured().cases;
const cases: Record<string, MeasuredCase> = {};
for (const each of allCases) {
  const known = before[each.name];
  cases[each.name] = known && !each.name.includes(wanted) ? known : await measure(each);
  writeMeasured({ releases: [pinned, ...others], cases });
}
writeTable(readMeasured());

async function measure(each: Case): Promise<MeasuredCase> {
  process.stderr.write(`${each.name}\n`);
  const [decided = [], ...rest] = await Promise.all(
    [pinned, ...others].map((release) => decisionsOfReal(each, release)),
  );
  const byCall = (list: readonly (Decided | undefined)[]): [string, Decided][] =>
    each.calls.flatMap((call, index) => {
      const found = list[index];
      return found === undefined ? [] : [[describeCall(call), found]];
    });
  const differs = rest.map((list, index): [string, Record<string, Decided>] => [
    others[index] ?? '',
    Object.fromEntries(
      byCall(list.map((found, at) => (found === decided[at] || decided[at] === undefined ? undefined : found))),
    ),
  ]);
  const different = differs.filter(([, found]) => Object.keys(found).length > 0);
  return {
    decided: Object.fromEntries(byCall(decided)),
    ...(different.length > 0 && { differs: Object.fromEntries(different) }),
  };
}
