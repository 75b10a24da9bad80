import type { ScriptData } from './script-data.ts';

/** What a scripted CLI finds beside itself. */
export interface LaunchFile {
  readonly script: ScriptData;
  /** The directory for the log of each run. */
  readonly runs: string;
  /** The file with the sessions of earlier runs. */
  readonly sessions: string;
  /** Whether a run's log holds the values of its environment; they may be secret. */
  readonly recordEnv: boolean;
}
