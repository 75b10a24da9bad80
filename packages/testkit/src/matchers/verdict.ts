/** The result of a matcher, in the format of `expect.extend` in vitest and jest. */
export interface Verdict {
  readonly pass: boolean;
  message(): string;
  /** The actual value, for the runner's own diff. */
  readonly actual?: unknown;
  /** The expected value. */
  readonly expected?: unknown;
}

/** The parts of a verdict. */
export interface Finding {
  readonly pass: boolean;
  /** Follows "Expected": `the run to have refused Bash`. */
  readonly wanted: string;
  /** The heading of the list below: `Its tools`. */
  readonly listed: string;
  /** The actual values, one line each. */
  readonly seen: readonly string[];
}

/** Formulates the message: the expected and the actual values. */
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
