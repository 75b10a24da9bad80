import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Case, describeCall } from './case.ts';
import { renderTable, tableFile } from './command-table.ts';
import { compareAll, isSame } from './compare.ts';
import { decisionsOfScripted } from './decisions.ts';
import { readMeasured } from './measured.ts';

const measured = readMeasured();
const compared = compareAll(measured);
const decided = compared.filter(({ scripted }) => scripted !== undefined);

describe('permission decisions of the scripted CLI', () => {
  it('[K-7] match every measured release, or are left open', () => {
    const wrong = decided.filter((each) => !isSame(each));
    expect(wrong.map(({ call, real, scripted, in: { name } }) => [name, describeCall(call), real, scripted])).toEqual(
      [],
    );
    expect(decided.length).toBeGreaterThan(2_000);
  });

  it.each([...new Set(decided.map((each) => each.in))].map((each) => ({ name: each.name, each })))(
    '[K-7] are carried out: $name',
    async ({ each }) => {
      const mine = decided.filter((one) => one.in === each);
      const subset: Case = { ...each, calls: mine.map(({ call }) => call) };
      expect(await decisionsOfScripted(subset)).toEqual(mine.map(({ scripted }) => scripted));
    },
  );

  it('[K-7] come from a table generated from the measurements', () => {
    expect(readFileSync(tableFile, 'utf8')).toBe(renderTable(measured));
  });
});
