/** What a matcher found, in the form that `expect.extend` of vitest and jest wants. */
export interface Verdict {
  readonly pass: boolean;
  message(): string;
  /** What was there, for the runner's own diff. */
  readonly actual?: unknown;
  /** What was wanted. */
  readonly expected?: unknown;
}

/** What a verdict is made of. */
export interface Finding {
  readonly pass: boolean;
  /** Goes after "Expected": `the run to have refused Bash`. */
  readonly wanted: string;
  /** What the list below is about: `Its tools`. */
  readonly listed: string;
  /** What was there, one line each. */
  readonly seen: readonly string[];
}

/** Puts a finding into words: what was wanted, and what was there instead. */
export function verdict({ pass, wanted, listed, seen }: Finding): Verdict {
  return {
    pass,
    message: () => {
      const head = pass ? `Did not expect ${wanted}.` : `Expected ${wanted}.`;
      const lines = seen.length === 0 ? ['none'] : seen.slice(0, LONGEST_LIST);
      const rest = seen.length > LONGEST_LIST ? [`… and ${seen.length - LONGEST_LIST} more`] : [];
      return [head, '', `${listed}:`, ...[...lines, ...rest].map((line) => `  ${line.replaceAll('\n', '\n  ')}`)].join(
        '\n',
      );
    },
  };
}

const LONGEST_LIST = 30;
