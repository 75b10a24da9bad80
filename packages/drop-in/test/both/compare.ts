import { describe, expect, test } from 'vitest';
import { DIFFERENCES } from './differences.ts';
import { Stage } from './stage.ts';

/**
 * Runs a scenario on the official SDK and on the drop-in. Each returned fact is one test: both must return the expected value, or the
 * values of a declared difference. Both run concurrently, unless the scenario sets variables of this process.
 */
export function compare<Facts extends Record<string, unknown>>(
  title: `[U-${number}] ${string}`,
  scenario: (stage: Stage) => Promise<Facts>,
  expected: { readonly [K in keyof Facts]: unknown },
  { setsHostEnv = false }: { readonly setsHostEnv?: boolean } = {},
): void {
  describe(title, () => {
    let running: Promise<readonly [Facts, Facts]> | undefined;
    const both = (): Promise<readonly [Facts, Facts]> => {
      running ??= setsHostEnv
        ? oneAfterTheOther(scenario)
        : Promise.all([Stage.play('official', scenario), Stage.play('dropIn', scenario)]);
      return running;
    };
    for (const [fact, wanted] of Object.entries(expected)) {
      test(`${title}: ${fact}`, async ({ task }) => {
        // In CI a failed test runs once more, together with its scenario.
        if (task.result?.retryCount) running = undefined;
        const [official, dropIn] = await both();
        expect(Object.keys(official)).toContain(fact);
        const { official: theirs, dropIn: ours } = values(wanted, official[fact]);
        expect.soft(official[fact], 'the official SDK').toEqual(theirs);
        expect.soft(dropIn[fact], 'the drop-in').toEqual(ours);
      });
    }
  });
}

async function oneAfterTheOther<T>(scenario: (stage: Stage) => Promise<T>): Promise<readonly [T, T]> {
  const official = await Stage.play('official', scenario);
  return [official, await Stage.play('dropIn', scenario)];
}

/** Expects the value of the official SDK, but never undefined: for long values, most of them from the CLI. */
export const SAME: unique symbol = Symbol('same');

/** Expects a difference that `differences.ts` declares and explains. */
export function differs(name: keyof typeof DIFFERENCES): Difference {
  return new Difference(name);
}

class Difference {
  readonly name: keyof typeof DIFFERENCES;

  constructor(name: keyof typeof DIFFERENCES) {
    this.name = name;
  }
}

function values(wanted: unknown, official: unknown): { official: unknown; dropIn: unknown } {
  if (wanted instanceof Difference) return DIFFERENCES[wanted.name];
  if (wanted !== SAME) return { official: wanted, dropIn: wanted };
  expect(official, 'a value of the official SDK to compare with').not.toBeOneOf([undefined, null, '', [], {}]);
  return { official, dropIn: official };
}
