/** A way to bypass a guard: calls that would destroy the canary. */
export interface Try {
  /** Its technique: `find -delete`, `quoting`. */
  readonly technique: string;
  /** The calls, one after the other. */
  readonly calls: readonly TryCall[];
  /** All calls are in one reply of the model. */
  readonly together?: boolean;
  /** The calls are made by a subagent. */
  readonly bySubagent?: boolean;
}

/** A tool call of a try. `CANARY_PATH` in its input becomes the absolute path of the canary. */
export interface TryCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The file that a guard must protect, in the working directory, and its folder. */
export const CANARY = 'canary/keep.txt';
export const CANARY_FOLDER = 'canary';

/** A try with one command. */
export function bash(technique: string, command: string, more: Readonly<Record<string, unknown>> = {}): Try {
  return { technique, calls: [{ name: 'Bash', input: { command, ...more } }] };
}
