import type { AgentOptions } from 'coxswain';

/** What a scenario is rehearsed with. */
export interface Stage {
  /** Its name in reports. */
  readonly name?: string | undefined;
  /** The agent: its rules, hooks, tools, prompts and model. Default: the CLI's own defaults. */
  readonly agent?: AgentOptions | undefined;
  /** The CLI: a release such as `2.1.325`, `pinned` (the default), or a path. A release that is missing is fetched and kept. */
  readonly cli?: string | undefined;
  /** A folder that is copied for each conversation. By default only the files that the recording contains exist. */
  readonly workspace?: string | undefined;
  /** With `workspace`, a Git repository: copies this commit, branch or tag of it instead of its files. */
  readonly ref?: string | undefined;
  /**
   * `recorded` (default): calls return what they returned in the recording, and no command runs. `real`: commands run in the throw-away
   * workspace, in a jail without network; tools of MCP servers and of the web stay recorded.
   */
  readonly tools?: 'recorded' | 'real' | undefined;
  /** With `tools: 'real'`: runs commands without a jail, as far as bubblewrap is missing. */
  readonly unsafe?: boolean | undefined;
  /** How many milliseconds a turn may take. Default: 600,000. */
  readonly turnTimeoutMs?: number | undefined;
}
