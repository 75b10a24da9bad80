import type { CanUseTool } from '../callbacks/permission-request.ts';
import { ofPolicy } from '../callbacks/permission-warnings.ts';
import { checking } from '../errors/options.ts';
import { shape } from './checks.ts';
import { hostCallback } from './hooks-check.ts';
import { allowRules, denyRules } from './permission-rule.ts';

/** A permission policy as data. */
export interface PermissionPolicy {
  /** Tools and rules that need no permission: `Read`, `Bash(git log *)`. */
  readonly allow?: readonly string[] | undefined;
  /** Tools and rules that are always denied. */
  readonly deny?: readonly string[] | undefined;
  /** Decides everything else. */
  readonly ask?: CanUseTool | undefined;
}

/** The options that {@link permissions} returns. */
export type PolicyOptions = {
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly canUseTool?: CanUseTool;
};

/**
 * Converts a policy into options: `query(prompt, { ...permissions({ allow: ['Read'], deny: ['Bash(rm *)'], ask }) })`.
 * The CLI enforces the rules, even where it never calls `canUseTool`, as for reads in the working directory.
 * @throws OptionsError for an unknown field, or a rule that the CLI cannot read
 */
export function permissions(policy: PermissionPolicy): PolicyOptions {
  // A value that passes the check is a policy.
  const checked = checking((report) => POLICY_SHAPE(policy, 'permissions', report)) as PermissionPolicy;
  const { allow = [], deny = [], ask } = checked;
  return {
    ...(allow.length > 0 ? { allowedTools: allow } : {}),
    ...(deny.length > 0 ? { disallowedTools: deny } : {}),
    ...(ask === undefined ? {} : { canUseTool: ofPolicy(ask) }),
  };
}

const POLICY_SHAPE = shape({ allow: allowRules, deny: denyRules, ask: hostCallback('ask(request, context)') });
