/** What is missing for a run against the real API, as text; empty if everything is available. */
export function missingMeans(
  env: Readonly<Record<string, string | undefined>>,
  means: { readonly cli: string | undefined; loggedIn(): boolean },
): string[];

/** The verdict on a vitest report: the suite has passed only if every test ran and passed. */
export function verdictOn(
  report:
    | { readonly numTotalTests: number; readonly numPassedTests: number; readonly numFailedTests: number }
    | undefined,
): { readonly code: 0 | 1; readonly text: string };
