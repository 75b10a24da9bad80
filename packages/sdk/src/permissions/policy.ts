import type { CanUseTool } from './request.ts';

/** Who may do what, as data. */
export interface PermissionPolicy {
  /** Tools and rules that need no permission: `Read`, `Bash(git log *)`. */
  readonly allow?: readonly string[] | undefined;
  /** Tools and rules that are refused, whatever else allows them. */
  readonly deny?: readonly string[] | undefined;
  /** Decides about the rest. */
  readonly ask?: CanUseTool | undefined;
}

/** The options a policy stands for. */
export interface PolicyOptions {
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly canUseTool?: CanUseTool;
}

const POLICY = Symbol('coxswain.policy');

/**
 * Turns a policy into options: `query(prompt, { ...permissions({ allow: ['Read'], deny: ['Bash(rm *)'], ask }) })`. The
 * CLI enforces the rules, also where `canUseTool` is never asked, as for reads in the working directory.
 */
export function permissions(policy: PermissionPolicy): PolicyOptions {
  const { allow = [], deny = [], ask } = policy;
  return {
    ...(allow.length > 0 ? { allowedTools: [...allow] } : {}),
    ...(deny.length > 0 ? { disallowedTools: [...deny] } : {}),
    ...(ask === undefined ? {} : { canUseTool: ofPolicy(ask) }),
  };
}

/** True for the `canUseTool` of a policy: that its `allow` rules go first is what its author wants. */
export function comesFromPolicy(canUseTool: CanUseTool): boolean {
  return POLICY in canUseTool;
}

function ofPolicy(ask: CanUseTool): CanUseTool {
  const canUseTool: CanUseTool = (request, context) => ask(request, context);
  // How many parameters it declares is part of the check of `canUseTool`.
  return Object.defineProperties(canUseTool, { [POLICY]: { value: true }, length: { value: ask.length } });
}
