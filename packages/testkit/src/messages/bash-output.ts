/** The structured outcome of a Bash call. A type alias, because an interface would not be a `JsonObject`. */
export type BashOutput = {
  readonly stdout: string;
  readonly stderr: string;
  readonly interrupted: boolean;
  readonly isImage: boolean;
  readonly noOutputExpected: boolean;
};

export function bashOutput(stdout: string): BashOutput {
  return { stdout, stderr: '', interrupted: false, isImage: false, noOutputExpected: false };
}
