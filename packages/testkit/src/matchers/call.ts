import type { ScriptedRun } from '../scripted/runs.ts';

/** One tool call, and its known outcome. */
export interface Call {
  readonly name: string;
  readonly input: unknown;
  /** `called` if there is no result, or only a report that the call was not possible. */
  readonly outcome: 'called' | ScriptedRun['tools'][number]['outcome'];
  /** True if the host was asked; unknown for runs of a scripted agent. */
  readonly asked?: boolean;
}

/** A tool by its name, or by a regular expression that matches its name. */
export type ToolName = string | RegExp;
