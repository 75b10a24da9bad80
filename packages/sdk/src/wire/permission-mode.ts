import type { Open } from './kinds.ts';

/** What happens to tool calls that no rule allows or denies. */
export type PermissionMode = Open<(typeof knownModes)[number]>;

/** The known modes of the CLI. */
export const knownModes = ['default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk', 'auto'] as const;
