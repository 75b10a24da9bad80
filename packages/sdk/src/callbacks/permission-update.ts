import type { Open, UnknownKind } from '../wire/kinds.ts';
import type { PermissionMode } from '../wire/permission-mode.ts';

/** A change of the permission rules, discriminated by `type`. */
export type PermissionUpdate =
  | {
      readonly type: 'addRules' | 'replaceRules' | 'removeRules';
      readonly rules: readonly PermissionRule[];
      readonly behavior: 'allow' | 'deny' | 'ask';
      readonly destination: PermissionDestination;
    }
  | { readonly type: 'setMode'; readonly mode: PermissionMode; readonly destination: PermissionDestination }
  | {
      readonly type: 'addDirectories' | 'removeDirectories';
      readonly directories: readonly string[];
      readonly destination: PermissionDestination;
    }
  | { readonly type: UnknownKind; readonly [field: string]: unknown };

/** A rule for a tool, or for some of its calls. */
export interface PermissionRule {
  readonly toolName: string;
  readonly ruleContent?: string;
}

/** Where an update is stored: the running session, or a settings file. */
export type PermissionDestination = Open<'session' | 'localSettings' | 'projectSettings' | 'userSettings' | 'cliArg'>;
