import type { ScriptData } from './script-data.ts';

/** The file beside a scripted CLI. */
export interface LaunchFile {
  readonly script: ScriptData;
  /** The directory for the log of each run. */
  readonly runs: string;
  /** The file with the sessions of earlier runs. */
  readonly sessions: string;
  /** True if the log of a run contains the values of its environment, which may be secret. */
  readonly recordEnv: boolean;
}
