export type PermissionMode = 'default' | 'acceptEdits' | 'bypassPermissions' | 'plan' | 'dontAsk' | 'auto';
export type PermissionBehavior = 'allow' | 'deny' | 'ask';
export type PermissionDecisionClassification = 'user_temporary' | 'user_permanent' | 'user_reject';
export type PermissionUpdateDestination = 'userSettings' | 'projectSettings' | 'localSettings' | 'session' | 'cliArg';
export type PermissionRuleValue = { toolName: string; ruleContent?: string };

/** A change of the rules that accompanies a permission. */
export type PermissionUpdate =
  | RulesUpdate<'addRules'>
  | RulesUpdate<'replaceRules'>
  | RulesUpdate<'removeRules'>
  | { type: 'setMode'; mode: PermissionMode; destination: PermissionUpdateDestination }
  | DirectoriesUpdate<'addDirectories'>
  | DirectoriesUpdate<'removeDirectories'>;

type RulesUpdate<Type extends string> = {
  type: Type;
  rules: PermissionRuleValue[];
  behavior: PermissionBehavior;
  destination: PermissionUpdateDestination;
};
type DirectoriesUpdate<Type extends string> = {
  type: Type;
  directories: string[];
  destination: PermissionUpdateDestination;
};

/** The answer to a permission request. */
export type PermissionResult =
  | {
      behavior: 'allow';
      updatedInput?: Record<string, unknown>;
      updatedPermissions?: PermissionUpdate[];
      toolUseID?: string;
      decisionClassification?: PermissionDecisionClassification;
    }
  | {
      behavior: 'deny';
      message: string;
      interrupt?: boolean;
      toolUseID?: string;
      decisionClassification?: PermissionDecisionClassification;
    };

/** Decides on a tool that no rule allows or denies. `null` leaves the answer to others. */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: {
    signal: AbortSignal;
    suggestions?: PermissionUpdate[];
    blockedPath?: string;
    mcpServer?: { name: string; source: string };
    decisionReason?: string;
    title?: string;
    displayName?: string;
    description?: string;
    defaultToNo?: boolean;
    suppressAlwaysAllowRule?: boolean;
    toolUseID: string;
    agentID?: string;
    requestId: string;
    matchedAskRule?: { source: string; toolName: string; ruleContent?: string };
  },
) => Promise<PermissionResult | null>;
