import type { JsonObject, Open } from '../wire/kinds.ts';
import type { CallbackContext } from './callback-context.ts';
import type { PermissionDecision } from './decisions.ts';
import type { PermissionUpdate } from './permission-update.ts';
import type { KnownTool, OtherTool, ToolInputOf } from './tool-inputs.ts';

/** A permission the CLI asks for, as plain JSON. Discriminated by `toolName`, or by `kind` for its purpose. */
export type PermissionRequest =
  | { [T in KnownTool]: PermissionRequestFor<T> }[KnownTool]
  | PermissionRequestFor<OtherTool>;

/** A tool to run, a question to the user, or a plan to approve. */
export type PermissionKind = 'tool' | 'question' | 'plan';

type PermissionRequestFor<T extends string> = {
  /** For `answerPermission()`. Unique among all requests. */
  readonly id: string;
  readonly kind: T extends 'AskUserQuestion' ? 'question' : T extends 'ExitPlanMode' ? 'plan' : 'tool';
  readonly toolName: T;
  /** File paths are absolute. */
  readonly input: ToolInputOf<T>;
  readonly toolUseId?: string;
  /** Rules the CLI suggests; pass the ones you accept to `allow({ updatedPermissions })`. None without `allowPermissionUpdates`. */
  readonly suggestions: readonly PermissionUpdate[];
  /** The path outside the allowed directories. */
  readonly blockedPath?: string;
  /** Why the CLI asks. */
  readonly decisionReason?: string;
  readonly decisionReasonType?: Open<'rule' | 'mode' | 'hook' | 'workingDir' | 'safetyCheck' | 'classifier' | 'other'>;
  /** The subagent that called the tool. */
  readonly agentId?: string;
  readonly title?: string;
  readonly displayName?: string;
  readonly description?: string;
  /** The server of an MCP tool. */
  readonly mcpServer?: { readonly name: string; readonly source: string };
  readonly requiresUserInteraction?: boolean;
  /** The CLI's request with all its fields. */
  readonly raw: JsonObject;
};

/** An unanswered request, as `pendingPermissions()` of queries, sessions and pools lists it. */
export type PendingPermission = PermissionRequest & {
  /** In ms since the epoch. */
  readonly requestedAt: number;
  /** When it is denied if it is still unanswered, in ms since the epoch; `null` without `limits.permissionTimeoutMs`. */
  readonly expiresAt: number | null;
  /** The job of the pool that was running when the permission was requested. */
  readonly job: string | null;
  /** The key of the pool. */
  readonly key: string | null;
};

/** Decides whether a tool may run. Called only when no rule and no permission mode decides. */
export type CanUseTool = (
  request: PermissionRequest,
  context: CallbackContext,
) => PermissionResult | Promise<PermissionResult>;

/** What `canUseTool` returns: a decision, or the CLI's own format of it. */
export type PermissionResult = PermissionDecision | RawPermissionResult;

/**
 * The CLI's own format of an answer. An allow needs an input: an allow without one may come from a callback that was written
 * for the official SDK.
 */
export type RawPermissionResult =
  | {
      readonly behavior: 'allow';
      readonly updatedInput: object;
      readonly updatedPermissions?: readonly PermissionUpdate[];
    }
  | { readonly behavior: 'deny'; readonly message: string; readonly interrupt?: boolean };
