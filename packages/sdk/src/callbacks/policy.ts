import type { CanUseTool } from './permission-request.ts';

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
export interface PolicyOptions {
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly canUseTool?: CanUseTool;
}

const POLICY = Symbol('coxswain.policy');

/**
 * Converts a policy into options: `query(prompt, { ...permissions({ allow: ['Read'], deny: ['Bash(rm *)'], ask }) })`.
 * The CLI enforces the rules, even where it never calls `canUseTool`, as for reads in the working directory.
 */
export function permissions(policy: PermissionPolicy): PolicyOptions {
  const { allow = [], deny = [], ask } = policy;
  return {
    ...(allow.length > 0 ? { allowedTools: [...allow] } : {}),
    ...(deny.length > 0 ? { disallowedTools: [...deny] } : {}),
    ...(ask === undefined ? {} : { canUseTool: ofPolicy(ask) }),
  };
}

/** True for the `canUseTool` of a policy, whose `allow` rules take precedence on purpose. */
export function comesFromPolicy(canUseTool: CanUseTool): boolean {
  return POLICY in canUseTool;
}

function ofPolicy(ask: CanUseTool): CanUseTool {
  const canUseTool: CanUseTool = (request, context) => ask(request, context);
  // The check of the option `canUseTool` looks at the number of parameters.
  return Object.defineProperties(canUseTool, { [POLICY]: { value: true }, length: { value: ask.length } });
}
