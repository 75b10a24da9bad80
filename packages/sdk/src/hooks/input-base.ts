import type { PermissionMode } from '../options/groups.ts';

/** What every hook gets. */
export interface HookInputBase {
  readonly session_id: string;
  /** The file the conversation is written to. */
  readonly transcript_path: string;
  readonly cwd: string;
  readonly prompt_id?: string;
  readonly permission_mode?: PermissionMode;
  /** The subagent in which it happens. */
  readonly agent_id?: string;
  readonly agent_type?: string;
  readonly effort?: { readonly level: string };
}
