import type { CallbackContext } from '../hooks/events.ts';
import type { PermissionDecision } from '../hooks/outcome.ts';
import type { KnownTool, OtherTool, ToolInputOf } from '../hooks/tool-inputs.ts';
import type { PermissionMode } from '../options/groups.ts';
import type { JsonObject, Open, UnknownKind } from '../wire/kinds.ts';

/** What the CLI asks a permission for, as plain JSON; told apart by `toolName`, or by `kind` for what it is about. */
export type PermissionRequest =
  | { [T in KnownTool]: PermissionRequestFor<T> }[KnownTool]
  | PermissionRequestFor<OtherTool>;

/** A question to the user, a plan to approve, or a tool to run. */
export type PermissionKind = 'tool' | 'question' | 'plan';

interface PermissionRequestFor<T extends string> {
  /** For `answerPermission()`. */
  readonly id: string;
  readonly kind: T extends 'AskUserQuestion' ? 'question' : T extends 'ExitPlanMode' ? 'plan' : 'tool';
  readonly toolName: T;
  /** File paths in it are absolute. */
  readonly input: ToolInputOf<T>;
  readonly toolUseId?: string;
  /** Rules the CLI proposes to add; pass those you like to `allow({ updatedPermissions })`. */
  readonly suggestions: readonly PermissionUpdate[];
  /** The path outside the allowed directories. */
  readonly blockedPath?: string;
  /** Why it is asked. */
  readonly decisionReason?: string;
  readonly decisionReasonType?: Open<'rule' | 'mode' | 'hook' | 'workingDir' | 'safetyCheck' | 'classifier' | 'other'>;
  /** The subagent that wants it. */
  readonly agentId?: string;
  readonly title?: string;
  readonly displayName?: string;
  readonly description?: string;
  /** The server of an MCP tool. */
  readonly mcpServer?: { readonly name: string; readonly source: string };
  readonly requiresUserInteraction?: boolean;
  /** The CLI's request with all its fields. */
  readonly raw: JsonObject;
}

/** Decides whether a tool may run; called only where no rule and no mode has decided. */
export type CanUseTool = (
  request: PermissionRequest,
  context: PermissionContext,
) => PermissionResult | Promise<PermissionResult>;

/** What `canUseTool` gets beside the request. */
export type PermissionContext = CallbackContext;

/** What `canUseTool` gives back: an outcome, or the CLI's own form of it. */
export type PermissionResult = PermissionDecision | RawPermissionResult;

/** The CLI's own form of an answer. An allow has an input: without one it may come from a callback for the official SDK. */
export type RawPermissionResult =
  | {
      readonly behavior: 'allow';
      readonly updatedInput: object;
      readonly updatedPermissions?: readonly PermissionUpdate[];
    }
  | { readonly behavior: 'deny'; readonly message: string; readonly interrupt?: boolean };

/** A change of the rules, told apart by `type`. */
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

/** A rule: a tool, or some of its calls. */
export interface PermissionRule {
  readonly toolName: string;
  readonly ruleContent?: string;
}

/** Where a change goes: the running session, or a settings file. */
export type PermissionDestination = Open<'session' | 'localSettings' | 'projectSettings' | 'userSettings' | 'cliArg'>;
