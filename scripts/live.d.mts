/** What is missing for a run against the real API, in words; nothing when all is there. */
export function missingMeans(
  env: Readonly<Record<string, string | undefined>>,
  means: { readonly cli: string | undefined; loggedIn(): boolean },
): string[];

/** What a report of vitest comes to: only a suite of which every test ran and passed has passed. */
export function verdictOn(
  report:
    | { readonly numTotalTests: number; readonly numPassedTests: number; readonly numFailedTests: number }
    | undefined,
): { readonly code: 0 | 1; readonly text: string };
