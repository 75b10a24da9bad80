import type { Open } from './kinds.ts';

/** What happens to tool calls that no rule allows or denies. */
export type PermissionMode = Open<'default' | 'acceptEdits' | 'bypassPermissions' | 'plan' | 'dontAsk' | 'auto'>;
