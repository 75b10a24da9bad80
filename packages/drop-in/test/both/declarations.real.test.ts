import { beforeAll, describe, expect, test } from 'vitest';
import { type Comparison, isEqual } from './declared/compare-declarations.ts';
import { COMPILER_TEST_MS, compareInProcess } from './declared/compile.ts';
import { COMPARED_DECLARATIONS, DECLARED_DIFFERENCES, UNDECLARED_NAMES } from './declared/declared-differences.ts';

describe('[U-9] every declaration of the official package', () => {
  let comparison: Comparison;
  beforeAll(async () => {
    comparison = await compareInProcess();
  }, COMPILER_TEST_MS);

  test('exists in the drop-in, which has no others', () => {
    expect(comparison.missing).toEqual([]);
    expect(comparison.extra).toEqual(
      ['.', './core'].flatMap((entry) => UNDECLARED_NAMES.map((name) => `${entry} ${name}`)),
    );
  });

  test('has the same structure, except for the declared differences', () => {
    const undeclared = comparison.compared
      .filter((name) => !isEqual(name) && !(name.name in DECLARED_DIFFERENCES))
      .map(({ name, differences: [first] }) => ({ name, ...first }));
    expect(undeclared).toEqual([]);
    expect(comparison.compared).toHaveLength(COMPARED_DECLARATIONS);
  });

  test.each(Object.entries(DECLARED_DIFFERENCES))('differs as declared: %s', (name, { at, refused }) => {
    const found = comparison.compared.filter((compared) => compared.name === name);
    expect(found.length).toBeGreaterThan(0);
    for (const { toDropIn, toOfficial, differences } of found) {
      expect([...(toDropIn ? [] : ['official → drop-in']), ...(toOfficial ? [] : ['drop-in → official'])]).toEqual(
        refused,
      );
      expect(differences.filter(({ path }) => at === '' || !path.startsWith(at))).toEqual([]);
    }
  });
});
