import { type Call, type Case, type Decided, describeCall } from './case.ts';
import { allCases } from './corpus/all-cases.ts';
import type { Measured } from './measured.ts';
import { scriptedRuling } from './scripted.ts';

/** One call of the corpus: what the real CLI did, release by release, and what the test kit decides. */
export interface Comparison {
  readonly in: Case;
  readonly call: Call;
  readonly real: Readonly<Record<string, Decided>>;
  /** Undefined where the test kit does not decide. */
  readonly scripted: Decided | undefined;
}

/** Compares every measured call. */
export function compareAll(measured: Measured): readonly Comparison[] {
  return allCases.flatMap((each) =>
    each.calls.flatMap((call) => {
      const real = realDecisions(measured, each.name, describeCall(call));
      if (real === undefined) return [];
      const { decided } = scriptedRuling(each, call);
      return [{ in: each, call, real, scripted: decided === 'unknown' ? undefined : decided }];
    }),
  );
}

/** True if the test kit decides like every release. */
export function isSame({ real, scripted }: Comparison): boolean {
  return Object.values(real).every((decided) => decided === scripted);
}

function realDecisions(
  { releases, cases }: Measured,
  name: string,
  call: string,
): Readonly<Record<string, Decided>> | undefined {
  const found = cases[name];
  const decided = found?.decided[call];
  if (decided === undefined) return undefined;
  return Object.fromEntries(releases.map((release) => [release, found?.differs?.[release]?.[call] ?? decided]));
}
